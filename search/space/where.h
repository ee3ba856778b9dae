#pragma once
#include <string>

#include "search/space/space.h"

namespace opledger {

/// Adds a condition on candidates and their metrics, in the language of formulas, as the last constraint. Candidates
/// that violate the condition are counted under the reason `where CONDITION`. Returns false, with errors, if the
/// condition can't be parsed or linked, or is neither true nor false.
bool add_where(Space& space, const std::string& condition, Diagnostics& diagnostics);

}  // namespace opledger
