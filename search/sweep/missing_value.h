#pragma once
#include <string>
#include <vector>

#include "search/space/space.h"

/// Errors about a metric without a value for a feasible candidate.
namespace opledger {

/// Returns a candidate as text, such as `tp=8 schedule=1f1b`. `values`: one per axis.
std::string candidate_text(const Space& space, const std::vector<double>& values);

/// Reports that a metric has no value for a feasible candidate, and names the candidate. The candidate is traced for this
/// metric alone; the first error of the trace gives reason and position. `values`: one per axis; empty if no candidate is
/// known.
void report_missing_value(const Space& space, const std::string& metric, const std::vector<double>& values, Diagnostics& diagnostics);

}  // namespace opledger
