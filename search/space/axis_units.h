#pragma once
#include "search/space/space.h"

namespace opledger {

/// Checks types and units of every axis's formulas against its input, and that conditions are true or false. Returns
/// false, with errors, if a formula is wrong.
bool check_axis_units(const Space& space, Diagnostics& diagnostics);

}  // namespace opledger
