#pragma once
#include <functional>
#include <optional>
#include <string>

#include "expr/ast.h"

/// Tree to text: source form with no brackets that are not needed, numbers as they were written. Parsing the text gives the same tree.
namespace opledger {

std::string to_source(const Expr& expr);

/// The same with values put in: where `value` gives a text for a part of the formula, that text stands in its place.
std::string to_source(const Expr& expr, const std::function<std::optional<std::string>(const Expr&)>& value);

}  // namespace opledger
