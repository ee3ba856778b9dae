#pragma once
#include "search/space/space.h"

namespace opledger {

/// Whether the units of every axis's formulas agree with each other and with what the axis gives a value, and conditions are true or false. False, with errors.
bool check_axis_units(const Space& space, Diagnostics& diagnostics);

}  // namespace opledger
