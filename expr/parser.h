#pragma once
#include <string_view>

#include "base/diagnostics.h"
#include "expr/ast.h"

/// Parser of the formula language, by recursive descent over tokens. docs/language.md has the grammar; base/limits.h
/// bounds text length and nesting.
namespace opledger {

/// Parses a formula. Reports one error at the first offending place and returns null if `text` is no formula. `span` is
/// the position of the text in its document; positions of parts are derived from it. A tree stored with the document
/// (`find_formula`) saves the parsing.
ExprPtr parse_expression(std::string_view text, const Span& span, Diagnostics& diagnostics);

/// Parses `EXPR, EXPR … [where EXPR]` into `out`. Returns false after reporting one error.
bool parse_domain(std::string_view text, const Span& span, Diagnostics& diagnostics, Domain& out);

/// Head of a function definition: `name(a, b)`.
struct Signature {
  std::string name;
  std::vector<std::string> parameters;
};
/// Parses a function head into `out`. Reports one error and returns false if the text is none or repeats a parameter.
bool parse_signature(std::string_view text, const Span& span, Diagnostics& diagnostics, Signature& out);

/// Parses a number with an optional unit, such as `80 GiB`, `0.9` or `-1`, in base units of `dimension`. Returns false,
/// without a message, for any other text.
bool parse_quantity(std::string_view text, double& value, Dimension& dimension);

}  // namespace opledger
