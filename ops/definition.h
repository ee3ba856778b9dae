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
  Span span;                                                   ///< Position of the name.
  std::vector<std::pair<std::string, ExprPtr>> cases;          ///< Formulas by word, in document order.
  std::vector<Span> case_spans;                                ///< Positions of the words of `cases`.
  ExprPtr otherwise;                                           ///< Formula of `is` or `else`, or the plain formula; null if the document states only cases.
  ExprPtr when;                                                ///< Condition; if false, the value is 0 or false. Null: always true.
  std::optional<Dimension> unit;                               ///< Declared unit; empty: not declared.
  std::string unit_text;                                       ///< The unit as written.
  std::string of;                                              ///< Set of operators whose words have the quantity instead of nodes; empty otherwise.
  Span of_span;                                                ///< Position of that set.
  std::string doc;                                             ///< Line of documentation; empty if not stated.
  std::string source;                                          ///< Origin of the formula: paper, equation or derivation.
  std::vector<std::pair<std::string, std::string>> published;  ///< Published names under `as`: (word or empty, name template).
  std::vector<Definition> lets;                                ///< Local names of the definition, under `let`.
};

/// Parses an entry `name: value` into `out`. The value is a formula, or a mapping of properties (`is`, `when`, `unit`, …)
/// and words. Any key that is no property is a word of a set, resolved when the formulas are linked. Returns false, with
/// errors, if a part is malformed.
bool parse_definition(const Datum& name, const Datum& value, Diagnostics& diagnostics, Definition& out);

/// Parses a formula: a scalar, a list of formulas, or `null` for an empty value. Returns null, with an error, for a mapping
/// or a text that is no formula; `name` names the formula in messages.
ExprPtr parse_formula(const Datum& value, const std::string& name, Diagnostics& diagnostics);

/// Returns whether a parameter with this default takes texts: the default is a text, or a list of nothing but texts.
bool takes_texts(const ExprPtr& value);

/// Returns the value of a parameter that takes texts: each bare name, alone or as an item of a list, is a text, as in
/// `[query, value]`. Other formulas stay as they are.
ExprPtr names_as_texts(const ExprPtr& value);

/// Parses every entry of a mapping of names to definitions; malformed entries are reported and skipped. An empty value
/// gives an empty list.
std::vector<Definition> parse_definitions(const Datum& section, Diagnostics& diagnostics);

}  // namespace opledger
