#pragma once
#include <string>

#include "search/space/space.h"

namespace opledger {

/// A further condition on candidates and what they cost, in the language of formulas: the last of the constraints, counted under `where CONDITION`.
/// False, with errors, if it can't be understood or is neither true nor false.
bool add_where(Space& space, const std::string& condition, Diagnostics& diagnostics);

}  // namespace opledger
