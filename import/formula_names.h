#pragma once
#include <functional>
#include <string>
#include <vector>

#include "ops/definition.h"
#include "schemas/datum.h"

/// What a formula of a mapping rests on.
namespace opledger {

/// Names in a formula that are wanted, each once, in their order; definitions (`lets`: NAME: FORMULA) are looked into. `rules.NAME` counts as NAME.
std::vector<std::string> names_in(const Expr& formula, const Datum& lets, const std::function<bool(const std::string&)>& wanted);

}  // namespace opledger
