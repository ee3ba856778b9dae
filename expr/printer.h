#pragma once
#include <functional>
#include <optional>
#include <string>

#include "expr/ast.h"

/// Printer of syntax trees: source text with brackets by precedence and with numbers as written. Parsing the text of a
/// parsed tree returns an equal tree, except for positions.
namespace opledger {

/// Returns the source text of `expr` on one line.
std::string to_source(const Expr& expr);

/// Returns the source with values substituted. The text that `value` returns replaces a subtree; `nullopt` prints the
/// subtree itself. A text with a leading `-` gets brackets where a sum would need them. Names of functions and paths
/// before `.(` are not substituted.
std::string to_source(const Expr& expr, const std::function<std::optional<std::string>(const Expr&)>& value);

}  // namespace opledger
