#pragma once
#include <functional>
#include <optional>
#include <string>

#include "expr/ast.h"

/// Printer of syntax trees: source text with the fewest brackets and with numbers as written. Parsing the text returns
/// an equal tree.
namespace opledger {

/// Returns the source text of `expr` on one line.
std::string to_source(const Expr& expr);

/// Returns the source with values substituted. The text that `value` returns replaces a subtree; `nullopt` prints the
/// subtree itself. Negative values get brackets where operators require them. Names of functions are not substituted.
std::string to_source(const Expr& expr, const std::function<std::optional<std::string>(const Expr&)>& value);

}  // namespace opledger
