#pragma once
#include <string>
#include <vector>

#include "search/space/space.h"

namespace opledger {

/// `tp=8 schedule=1f1b`: what tells a candidate from others. `values`: by axis.
std::string candidate_text(const Space& space, const std::vector<double>& values);

/// The error that a metric has no value for a feasible candidate: what could not be evaluated, where that was asked, and which candidate it is. `values`: by axis;
/// empty: none is at hand.
void report_missing_value(const Space& space, const std::string& metric, const std::vector<double>& values, Diagnostics& diagnostics);

}  // namespace opledger
