#pragma once
#include <map>
#include <set>
#include <string>

#include "ops/operator.h"

/// Names inside formulas: put in for others, or collected.
namespace opledger {

using Renames = std::map<std::string, std::string, std::less<>>;

ExprPtr substitute(const ExprPtr& formula, const Renames& renames);
Definition substitute(const Definition& definition, const Renames& renames);

/// Dimensions that an operator's declarations may name, in lists and in formulas.
std::set<std::string, std::less<>> names_in(const Operator& op);

}  // namespace opledger
