#include "search/change/change_list.h"

#include <fmt/core.h>

#include <utility>

#include "expr/parser.h"
#include "ops/definition.h"
#include "run/documents.h"

namespace opledger {
namespace {

/// Returns whether a value of `set` is passed on as it is: a word, a number with or without unit, a truth.
bool is_plain(const Expr& expr) {
  switch (expr.kind) {
    case Expr::Kind::number:
    case Expr::Kind::boolean:
    case Expr::Kind::text:
    case Expr::Kind::null:
    case Expr::Kind::name:
      return true;
    default:
      return false;
  }
}

void check_lists(const Expr& expr, Diagnostics& diagnostics) {
  if (!is_lists_call(expr)) {
    for (const ExprPtr& arg : expr.args) check_lists(*arg, diagnostics);
    return;
  }
  for (std::size_t i = 1; i < expr.args.size(); ++i) {
    const Expr::Kind kind = expr.args[i]->kind;
    if (kind != Expr::Kind::name && kind != Expr::Kind::text)
      diagnostics.error(expr.args[i]->span, fmt::format("`{}` takes names of rule documents, or patterns in quotes", kListsFunction));
  }
}

std::string text_of(const Datum& change, const char* key) {
  const Datum* const value = change.find(key);
  return value != nullptr ? value->text() : std::string();
}

std::vector<Datum> all_of(const Datum& change, const char* key) {
  const Datum* const names = change.find(key);
  return names != nullptr ? names->all() : std::vector<Datum>{};
}

std::optional<Change::Setting> read_setting(const Datum& key, const Datum& value, Diagnostics& diagnostics) {
  Change::Setting out{key.text(), value.text(), nullptr};
  if (value.number() || value.boolean()) return out;
  const ExprPtr formula = parse_formula(value, key.text(), diagnostics);
  if (formula == nullptr) return std::nullopt;
  if (!is_plain(*formula)) out.formula = formula;
  return out;
}

Change read_change(const Datum& name, const Datum& change, Diagnostics& diagnostics) {
  Change out{name.text(), text_of(change, "doc"), text_of(change, "quality"), nullptr, {}, {}, {}, {}, {}};
  if (const Datum* when = change.find("when")) {
    out.when = parse_formula(*when, "when", diagnostics);
    if (out.when != nullptr) check_lists(*out.when, diagnostics);
  }
  const Datum* const set = change.find("set");
  for (const auto& [key, value] : set != nullptr ? set->entries() : std::vector<Datum::Entry>{}) {
    if (std::optional<Change::Setting> setting = read_setting(key, value, diagnostics)) out.set.push_back(std::move(*setting));
  }
  out.rules = all_of(change, "rules");
  out.without = all_of(change, "without");
  out.systems = all_of(change, "system");
  if (const Datum* stack = change.find("stack")) out.stack = *stack;
  const bool has_effect = set != nullptr || out.stack || !out.rules.empty() || !out.without.empty() || !out.systems.empty();
  if (!has_effect)
    diagnostics.error(name.span(), fmt::format("change `{}` needs `set`, `rules`, `without`, `system` or `stack`: it changes nothing", out.name));
  return out;
}

}  // namespace

bool is_lists_call(const Expr& expr) { return expr.kind == Expr::Kind::call && expr.args[0]->kind == Expr::Kind::name && expr.args[0]->text == kListsFunction; }

std::optional<std::vector<Change>> read_changes(const Document& document, Diagnostics& diagnostics) {
  const std::size_t errors = diagnostics.errors();
  std::vector<Change> out;
  for (const auto& [name, change] : document.root.find("changes")->entries()) out.push_back(read_change(name, change, diagnostics));
  return diagnostics.errors() > errors ? std::nullopt : std::optional(std::move(out));
}

void check_changes(const Document& document, Library& library, Diagnostics& diagnostics) {
  const std::optional<std::vector<Change>> changes = read_changes(document, diagnostics);
  if (!changes) return;
  const auto find = [&](const Datum& name, const char* kind) {
    Diagnostics messages;
    const bool is_found = library.load(name, {kind}, messages) != nullptr;
    if (const Diagnostic* const error = messages.first_error(); !is_found && error != nullptr) diagnostics.warning(error->span, error->message);
  };
  for (const Datum& name : all_of(document.root, "accounting")) library.load(name, {"accounting"}, diagnostics);
  for (const Change& change : *changes) {
    for (const Datum& name : change.rules) find(name, "rules");
    for (const Datum& name : change.systems) find(name, "system");
    if (change.stack && change.stack->text() != kNoStack) find(*change.stack, "stack");
  }
}

}  // namespace opledger
