#pragma once
#include "search/space/space.h"

namespace opledger {

/// Finds which axes the domain of each depends on, through every name that its formulas use. A domain that needs an axis which comes later could never be made:
/// false, with an error for each such axis.
bool find_reads(const Program& program, std::vector<SpaceAxis>& axes, Diagnostics& diagnostics);

}  // namespace opledger
