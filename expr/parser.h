#pragma once
#include <string_view>

#include "base/diagnostics.h"
#include "expr/ast.h"

/// Text to tree. The grammar is in docs/language.md; a recursive descent over tokens, within the limits of base/limits.h.
namespace opledger {

/// Null, with one error at the offending character, if the text is no formula. `span` is where the text begins in its document; positions inside
/// the text are added to it while it is on one line.
ExprPtr parse_expression(std::string_view text, const Span& span, Diagnostics& diagnostics);

/// `EXPR, EXPR … [where EXPR]`.
bool parse_domain(std::string_view text, const Span& span, Diagnostics& diagnostics, Domain& out);

/// `name(a, b)`: the head of a function's definition.
struct Signature {
  std::string name;
  std::vector<std::string> parameters;
};
bool parse_signature(std::string_view text, const Span& span, Diagnostics& diagnostics, Signature& out);

/// A number with an optional unit and nothing else: `80 GiB`, `0.9`, `-1`.
bool parse_quantity(std::string_view text, double& value, Dimension& dimension);

}  // namespace opledger
