#pragma once
#include "search/space/space.h"

namespace opledger {

/// Checks the units of every axis's formulas against its input, and that conditions are true or false. Returns false,
/// with errors.
bool check_axis_units(const Space& space, Diagnostics& diagnostics);

}  // namespace opledger
