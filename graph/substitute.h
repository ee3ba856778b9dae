#pragma once
#include <map>
#include <set>
#include <string>

#include "ops/operator.h"

/// Names in formulas: substitution and collection.
namespace opledger {

using Renames = std::map<std::string, std::string, std::less<>>;  ///< New name by old name.

/// Returns the formula with names replaced, all at once; names of called functions stay. Unchanged subexpressions are
/// shared. A null formula stays null.
ExprPtr substitute(const ExprPtr& formula, const Renames& renames);
/// Returns a definition with names replaced in all its formulas; its own name stays.
Definition substitute(const Definition& definition, const Renames& renames);

/// Returns the names of dimensions in an operator's declarations, in lists and in formulas. The set may also have
/// names of ports, attributes and functions, which formulas use in the same way.
std::set<std::string, std::less<>> names_in(const Operator& op);

}  // namespace opledger
