#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "expr/ast.h"
#include "schemas/datum.h"

/// Definitions of names as documents write them: a formula, or a formula per word of a set, optionally under a
/// condition. Operators, blocks, models, accountings and searches share the grammar; docs/language.md describes it.
namespace opledger {

/// A parsed definition of one name.
struct Definition {
  std::string name;
  Span span;                                           ///< Position of the name.
  std::vector<std::pair<std::string, ExprPtr>> cases;  ///< Formulas by word, in document order.
  std::vector<Span> case_spans;
  ExprPtr otherwise;  ///< Formula of `is` or `else`, or the plain formula; may be null if cases exist.
  ExprPtr when;
  std::optional<Dimension> unit;
  std::string unit_text;
  std::string of;  ///< Set of operators whose words have the quantity instead of nodes; empty otherwise.
  Span of_span;
  std::string doc;
  std::string source;                                          ///< Origin of the formula: paper, equation or derivation.
  std::vector<std::pair<std::string, std::string>> published;  ///< Published names under `as`: (word or empty, name template).
  std::vector<Definition> lets;
};

/// Parses an entry `name: value`. Keys other than properties of definitions are words, resolved when the formulas are
/// linked. Returns false, with errors, if a part is malformed.
bool parse_definition(const Datum& name, const Datum& value, Diagnostics& diagnostics, Definition& out);

/// Parses a formula: a scalar, a list of formulas, or `null` for an empty value. Null, with an error, for other values;
/// `name` names the formula in messages.
ExprPtr parse_formula(const Datum& value, const std::string& name, Diagnostics& diagnostics);

/// Parses every entry of a mapping; malformed entries are reported and skipped.
std::vector<Definition> parse_definitions(const Datum& section, Diagnostics& diagnostics);

}  // namespace opledger
