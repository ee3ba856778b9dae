#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "expr/ast.h"
#include "schemas/datum.h"

/// One way to compute a name, as documents write it: a formula, or a formula per word of a set, perhaps only when a condition holds.
/// The same grammar serves operators, blocks, models, accountings and searches; docs/language.md describes it.
namespace opledger {

struct Definition {
  std::string name;
  Span span;                                           ///< Of the name.
  std::vector<std::pair<std::string, ExprPtr>> cases;  ///< By word, in the order written.
  std::vector<Span> case_spans;
  ExprPtr otherwise;  ///< `is`, `else`, or the plain formula; may be null beside cases.
  ExprPtr when;
  std::optional<Dimension> unit;
  std::string unit_text;
  std::string of;  ///< Of a quantity: a set of operators, whose words have it instead of nodes.
  Span of_span;
  std::string doc;
  std::string source;                                          ///< Where the formula is from: paper, equation or derivation.
  std::vector<std::pair<std::string, std::string>> published;  ///< `as`: (word or empty, name template).
  std::vector<Definition> lets;
};

/// Reads `name: value` of a section. Keys that are no property of a definition are words, which are looked up when the formulas are linked.
bool parse_definition(const Datum& name, const Datum& value, Diagnostics& diagnostics, Definition& out);

/// A formula from a scalar, a list of formulas from a list, `null` from nothing. Null, with an error, from anything else; `what` names it in messages.
ExprPtr parse_formula(const Datum& value, const std::string& what, Diagnostics& diagnostics);

/// Every entry of a mapping as a definition.
std::vector<Definition> parse_definitions(const Datum& section, Diagnostics& diagnostics);

}  // namespace opledger
