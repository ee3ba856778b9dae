#pragma once
#include <functional>
#include <string>
#include <vector>

#include "ops/definition.h"
#include "schemas/datum.h"

/// Finds the names that a formula of a mapping depends on.
namespace opledger {

/// Returns the names in a formula that satisfy `accepts`, each once, in order of appearance. A name defined in `lets`
/// (NAME: FORMULA) is replaced by the names in its definition, up to 16 levels deep. `rules.NAME` gives NAME without
/// a call of `accepts`.
std::vector<std::string> names_in(const Expr& formula, const Datum& lets, const std::function<bool(const std::string&)>& accepts);

}  // namespace opledger
