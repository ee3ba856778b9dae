#pragma once
#include <string>
#include <vector>

#include "search/space/space.h"

namespace opledger {

/// The error that a metric has no value for a feasible candidate: what could not be evaluated, where that was asked, and which candidate it is. `values`: by axis;
/// empty: none is at hand.
void tell_unvalued(const Space& space, const std::string& metric, const std::vector<double>& values, Diagnostics& diagnostics);

}  // namespace opledger
