#include "ops/definition.h"

#include <fmt/format.h>

#include <algorithm>

#include "expr/parser.h"

namespace opledger {

namespace {

/// Returns the position of a scalar's text, after an opening quotation mark.
Span text_span(const Datum& scalar) {
  Span span = scalar.span();
  if (scalar.quoted() && span.column > 0) ++span.column;
  return span;
}

ExprPtr make(Expr::Kind kind, const Span& span, std::vector<ExprPtr> args = {}) {
  auto expr = std::make_shared<Expr>();
  expr->kind = kind;
  expr->span = span;
  expr->args = std::move(args);
  return expr;
}

bool expect_text(const Datum& key, const Datum& value, Diagnostics& diagnostics, std::string& out) {
  if (!value.is_scalar()) {
    diagnostics.error(value.span(), fmt::format("`{}` must be text, found {}", key.text(), value.describe()));
    return false;
  }
  out = value.text();
  return true;
}

/// Parses `as`, the published names of a metric: one name, stored under an empty word, or a name for each word of a set.
/// Returns false, with errors, for other values.
bool parse_published(const Datum& value, Diagnostics& diagnostics, Definition& out) {
  if (value.is_scalar()) {
    out.published.emplace_back("", value.text());
    return true;
  }
  if (!value.is_map()) {
    diagnostics.error(value.span(), fmt::format("`as` must be a name or a name per word, found {}", value.describe()));
    return false;
  }
  bool good = true;
  for (const auto& [word, name] : value.entries()) {
    std::string text;
    good = expect_text(word, name, diagnostics, text) && good;
    out.published.emplace_back(word.text(), std::move(text));
  }
  return good;
}

/// Parses `unit` into `out`. Returns false, with an error, for an unknown unit.
bool parse_declared_unit(const Datum& value, Diagnostics& diagnostics, Definition& out) {
  auto unit = value.is_scalar() ? parse_unit(value.text()) : std::nullopt;
  if (!unit) {
    diagnostics.error(value.span(),
                      value.is_scalar() ? fmt::format("unknown unit `{}`", value.text()) : fmt::format("`unit` must be text, found {}", value.describe()));
    return false;
  }
  out.unit = unit->dimension;
  out.unit_text = value.text();
  return true;
}

bool parse_lets(const Datum& value, Diagnostics& diagnostics, Definition& out) {
  std::size_t errors = diagnostics.errors();
  out.lets = parse_definitions(value, diagnostics);
  return diagnostics.errors() == errors;
}

/// Parses one key of the definition `out`. Properties such as `is`, `when` and `unit` fill its fields. Any other key is a
/// word of a set, whose formula becomes a case. `is` and `else` both state the formula without a case, so only one of them
/// is allowed. Returns false, with an error, if the value is malformed.
bool parse_entry(const Datum& key, const Datum& value, Diagnostics& diagnostics, Definition& out) {
  const std::string_view word = key.text();
  auto formula = [&](ExprPtr& place) {
    place = parse_formula(value, key.text(), diagnostics);
    return place != nullptr;
  };
  if (word == "is" || word == "else") {
    if (out.otherwise) {
      diagnostics.error(key.span(), fmt::format("`{}` has both `is` and `else`", out.name));
      return false;
    }
    return formula(out.otherwise);
  }
  if (word == "when") return formula(out.when);
  if (word == "let") return parse_lets(value, diagnostics, out);
  if (word == "unit") return parse_declared_unit(value, diagnostics, out);
  if (word == "doc") return expect_text(key, value, diagnostics, out.doc);
  if (word == "source") return expect_text(key, value, diagnostics, out.source);
  if (word == "of") {
    out.of_span = value.span();
    return expect_text(key, value, diagnostics, out.of);
  }
  if (word == "as") return parse_published(value, diagnostics, out);
  ExprPtr expr;
  if (!formula(expr)) return false;
  out.cases.emplace_back(key.text(), expr);
  out.case_spans.push_back(key.span());
  return true;
}

}  // namespace

// Parses a formula by the kind of its value in the document. A scalar is the text of the formula, an empty value the
// absent value `null`, and a list becomes a list expression, item by item. A mapping can't be a formula. Null after an
// error.
ExprPtr parse_formula(const Datum& value, const std::string& name, Diagnostics& diagnostics) {
  switch (value.kind()) {
    case Datum::Kind::scalar:
      return parse_expression(value.text(), text_span(value), diagnostics);
    case Datum::Kind::null:
      return make(Expr::Kind::null, value.span());
    case Datum::Kind::map:
      diagnostics.error(value.span(), fmt::format("`{}` must be a formula, found {}", name, value.describe()));
      return nullptr;
    case Datum::Kind::list:
      break;
  }
  std::vector<ExprPtr> items;
  for (const Datum& item : value.items()) {
    items.push_back(parse_formula(item, name, diagnostics));
    if (!items.back()) return nullptr;
  }
  return make(Expr::Kind::list, value.span(), std::move(items));
}

bool parse_definition(const Datum& name, const Datum& value, Diagnostics& diagnostics, Definition& out) {
  out.name = name.text();
  out.span = name.span();
  if (!value.is_map()) {
    out.otherwise = parse_formula(value, out.name, diagnostics);
    return out.otherwise != nullptr;
  }
  if (value.entries().empty()) {
    diagnostics.error(value.span(), fmt::format("`{}` says nothing", out.name));
    return false;
  }
  bool good = true;
  for (const auto& [key, entry] : value.entries()) good = parse_entry(key, entry, diagnostics, out) && good;
  return good;
}

bool takes_texts(const ExprPtr& value) {
  if (!value) return false;
  return value->kind == Expr::Kind::text || (value->kind == Expr::Kind::list && std::all_of(value->args.begin(), value->args.end(), takes_texts));
}

ExprPtr names_as_texts(const ExprPtr& value) {
  if (!value || (value->kind != Expr::Kind::name && value->kind != Expr::Kind::list)) return value;
  auto changed = std::make_shared<Expr>(*value);
  if (value->kind == Expr::Kind::name) changed->kind = Expr::Kind::text;
  for (ExprPtr& item : changed->args) item = names_as_texts(item);
  return changed;
}

/// Continues after a malformed entry, so that one pass reports all mistakes of a section.
std::vector<Definition> parse_definitions(const Datum& section, Diagnostics& diagnostics) {
  std::vector<Definition> definitions;
  if (!section.is_map()) {
    if (!section.is_null()) diagnostics.error(section.span(), fmt::format("expected a mapping of names to definitions, found {}", section.describe()));
    return definitions;
  }
  for (const auto& [name, value] : section.entries()) {
    Definition definition;
    if (parse_definition(name, value, diagnostics, definition)) definitions.push_back(std::move(definition));
  }
  return definitions;
}

}  // namespace opledger
