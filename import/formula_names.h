#pragma once
#include <functional>
#include <string>
#include <vector>

#include "ops/definition.h"
#include "schemas/datum.h"

/// Finds the names that a formula of a mapping depends on.
namespace opledger {

/// Returns the names in a formula that satisfy `accepts`, each once, in order of appearance. The search follows
/// definitions (`lets`: NAME: FORMULA). `rules.NAME` counts as NAME.
std::vector<std::string> names_in(const Expr& formula, const Datum& lets, const std::function<bool(const std::string&)>& accepts);

}  // namespace opledger
