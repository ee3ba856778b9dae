#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/lists.h"
#include "base/text.h"
#include "ops/order.h"

namespace opledger {
namespace {

const std::vector<std::string> kAboutDocuments = {"kind", "name", "doc", "source"};
const std::vector<std::string> kKeys = {"chunks", "chunked", "directions", "stage_chunk", "let", "require", "items", "phases", "actions"};
const std::vector<std::string> kWorkNames = {"forward", "input", "weight", "backward"};
const std::vector<std::string> kItemKeys = {"do", "chunk", "direction", "microbatch"};

// Former names of the variables that a simulation provides, with the present ones.
constexpr std::pair<std::string_view, const char*> kFormerVariables[] = {{"behind", "remaining_stages"}, {"way", "direction"}};

/// A reader of one order, which reports all mistakes. Phases are read last because they refer to items. `out_.items` has
/// from the start the predefined items, named by the kinds of work.
class OrderReader {
 public:
  explicit OrderReader(Diagnostics& diagnostics) : diagnostics_(diagnostics) {
    out_.items["forward"].forward = true;
    out_.items["input"].input = true;
    out_.items["weight"].weight = true;
    out_.items["backward"].input = out_.items["backward"].weight = true;
  }

  /// Reads an order: a list of phases, or a mapping with further keys. Afterwards the order has either phases or a file of
  /// actions.
  void read(const Datum& section) {
    out_.span = section.span();
    if (section.is_list()) {
      read_phases(section);
      return rename_former_variables();
    }
    if (!section.is_map()) return error(section, fmt::format("`order` must be a list of phases or a mapping, found {}", section.describe()));
    for (const auto& [key, value] : section.entries()) {
      if (key.text() != "phases" && !contains(kAboutDocuments, key.text())) entry(key, value);
    }
    if (const Datum* phases = section.find("phases")) {
      out_.span = phases->span();
      read_phases(*phases);
    }
    rename_former_variables();
    if (out_.phases.empty() == out_.actions.empty()) error(section, "an order has either `phases` or a file of `actions`");
  }

  OrderDefinition out_;

 private:
  void error(const Datum& at, std::string message) { diagnostics_.error(at.span(), std::move(message)); }

  void unknown(const Datum& key, const std::vector<std::string>& known) {
    error(key, fmt::format("unknown key `{}`{}", key.text(), known_names(key.text(), "keys", known)));
  }

  /// Reads one key of an order, except `phases`, into `out_`. An unknown key is an error.
  void entry(const Datum& key, const Datum& value) {
    const std::string& word = key.text();
    if (word == "chunks") {
      out_.chunks = whole(value, word);
    } else if (word == "directions") {
      out_.directions = whole(value, word).value_or(1);
    } else if (word == "chunked") {
      out_.chunked = value.boolean().value_or(false);
      if (!value.boolean()) error(value, fmt::format("`chunked` must be true or false, found {}", value.describe()));
    } else if (word == "stage_chunk") {
      out_.stage_chunk = parse_formula(value, word, diagnostics_);
    } else if (word == "let") {
      out_.lets = parse_definitions(value, diagnostics_);
    } else if (word == "require") {
      for (const Datum& rule : value.all()) read_requirement(rule);
    } else if (word == "items") {
      read_items(value);
    } else if (word == "actions") {
      out_.actions = value.text();
      out_.actions_span = value.span();
      if (!value.is_scalar() || value.text().empty()) error(value, "`actions` must be the name of a file");
    } else {
      unknown(key, kKeys);
    }
  }

  /// Returns a whole number from 1 to 1024; nothing, with an error, for other values.
  std::optional<long long> whole(const Datum& value, const std::string& word) {
    const std::optional<double> n = value.number();
    if (n && *n >= 1 && *n <= 1024 && *n == static_cast<double>(static_cast<long long>(*n))) return static_cast<long long>(*n);
    error(value, fmt::format("`{}` must be a whole number from 1 to 1024, found `{}`", word, value.is_scalar() ? value.text() : value.describe()));
    return std::nullopt;
  }

  void read_requirement(const Datum& rule) {
    const Datum *is = rule.find("is"), *message = rule.find("message");
    if (is == nullptr || message == nullptr || !message->is_scalar() || rule.entries().size() != 2)
      return error(rule, "each of `require` has `is`, a formula, and `message`");
    if (const ExprPtr formula = parse_formula(*is, "is", diagnostics_)) out_.requirements.push_back({formula, message->text(), rule.span()});
  }

  void read_items(const Datum& items) {
    if (!items.is_map()) return error(items, fmt::format("`items` must be a mapping of names, found {}", items.describe()));
    for (const auto& [name, value] : items.entries()) read_item(name, value);
  }

  /// Reads a named item into `out_.items`: `do` selects a predefined item, the kind of work, which is copied. Formulas may
  /// fix chunk, direction and microbatch. After an unknown kind, the name is added without work, so that phases which use
  /// it cause no further error. Predefined items can't be replaced.
  void read_item(const Datum& name, const Datum& value) {
    const Datum* done = value.find("do");
    const auto kind = done == nullptr ? out_.items.end() : out_.items.find(done->text());
    if (kind == out_.items.end() || !is_kind(kind->first)) {
      out_.items[name.text()];
      return error(done == nullptr ? name : *done,
                   fmt::format("`do` must be forward, input, weight or backward{}", done != nullptr ? suggestion(done->text(), kWorkNames) : ""));
    }
    if (is_kind(name.text())) return error(name, fmt::format("`{}` is there already: name the item otherwise", name.text()));
    OrderItem item = kind->second;
    item.span = name.span();
    for (const auto& [key, formula] : value.entries()) {
      ExprPtr* const place = key.text() == "chunk"        ? &item.chunk
                             : key.text() == "direction"  ? &item.direction
                             : key.text() == "microbatch" ? &item.microbatch
                                                          : nullptr;
      if (place != nullptr)
        *place = parse_formula(formula, key.text(), diagnostics_);
      else if (key.text() != "do")
        unknown(key, kItemKeys);
    }
    out_.items[name.text()] = item;
  }

  /// Replaces former names of variables in formulas, after `let` is read: a `let` of such a name hides the variable. Of
  /// a `let`, only the plain formula is changed, not its cases or condition.
  void rename_former_variables() {
    rename_in(out_.stage_chunk);
    for (Definition& let : out_.lets) rename_in(let.otherwise);
    for (OrderRequirement& requirement : out_.requirements) rename_in(requirement.is);
    for (OrderPhase& phase : out_.phases) rename_in(phase.times);
    for (auto& [name, item] : out_.items) {
      for (ExprPtr* formula : {&item.chunk, &item.direction, &item.microbatch}) rename_in(*formula);
    }
  }

  void rename_in(ExprPtr& formula) {
    if (formula == nullptr) return;
    if (formula->kind == Expr::Kind::name) return rename_name(formula);
    for (std::size_t i = 0; i < formula->args.size(); ++i) {
      ExprPtr part = formula->args[i];
      rename_in(part);
      if (part == formula->args[i]) continue;
      auto changed = std::make_shared<Expr>(*formula);
      changed->args[i] = std::move(part);
      formula = std::move(changed);
    }
  }

  void rename_name(ExprPtr& name) {
    for (const auto& [former, present] : kFormerVariables) {
      const bool is_let = std::any_of(out_.lets.begin(), out_.lets.end(), [&](const Definition& let) { return let.name == name->text; });
      if (name->text != former || is_let) continue;
      diagnostics_.warning(name->span, fmt::format("`{}` is now called `{}`: rename it, the old name will be removed", former, present));
      auto renamed = std::make_shared<Expr>(*name);
      renamed->text = present;
      name = std::move(renamed);
      return;
    }
  }

  static bool is_kind(const std::string& name) { return contains(kWorkNames, name); }

  void read_phases(const Datum& phases) {
    if (!phases.is_list()) return error(phases, fmt::format("an order is a list of phases, found {}", phases.describe()));
    if (phases.items().empty()) return error(phases, "this order has no phases");
    for (const Datum& phase : phases.items()) read_phase(phase);
  }

  /// Reads a phase: the pattern `do` repeats `times` times; items under `together` form one batch.
  void read_phase(const Datum& phase) {
    const Datum *times = phase.find("times"), *pattern = phase.find("do");
    if (times == nullptr || pattern == nullptr || phase.entries().size() != 2 || !pattern->is_list() || pattern->items().empty())
      return error(phase, "a phase has `times`, a formula, and `do`, a list of items");
    OrderPhase out{parse_formula(*times, "times", diagnostics_), {}, phase.span()};
    for (const Datum& batch : pattern->items()) {
      const Datum* together = batch.find("together");
      out.batches.emplace_back();
      for (const Datum& item : (together != nullptr ? *together : batch).all()) out.batches.back().push_back(known(item));
    }
    if (out.times != nullptr) out_.phases.push_back(std::move(out));
  }

  /// Returns the name of an item, after reporting an error if no item has it.
  std::string known(const Datum& item) {
    if (!item.is_scalar() || out_.items.count(item.text()) == 0)
      error(item, fmt::format("unknown item `{}`{}", item.text(), suggestion(item.text(), names_of(out_.items))));
    return item.text();
  }

  Diagnostics& diagnostics_;
};

}  // namespace

std::shared_ptr<const OrderDefinition> read_order(const Datum& section, Diagnostics& diagnostics) {
  const std::size_t errors = diagnostics.errors();
  OrderReader reader(diagnostics);
  reader.read(section);
  return diagnostics.errors() == errors ? std::make_shared<const OrderDefinition>(std::move(reader.out_)) : nullptr;
}

}  // namespace opledger
