#pragma once
#include <map>
#include <set>
#include <string>

#include "ops/operator.h"

/// Names in formulas: substitution and collection.
namespace opledger {

using Renames = std::map<std::string, std::string, std::less<>>;

/// Returns the formula with names replaced; unchanged subexpressions are shared.
ExprPtr substitute(const ExprPtr& formula, const Renames& renames);
Definition substitute(const Definition& definition, const Renames& renames);

/// Returns the dimensions that an operator's declarations may name, in lists and in formulas.
std::set<std::string, std::less<>> names_in(const Operator& op);

}  // namespace opledger
