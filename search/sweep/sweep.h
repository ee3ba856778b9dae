#pragma once
#include <optional>

#include "search/sweep/sweep_request.h"
#include "search/sweep/sweep_result.h"

/// A sweep evaluates every candidate of a space and keeps sums, counts, the best candidates and the Pareto front.
namespace opledger {

/// Runs a sweep. Returns nothing, with errors, if a candidate can't be evaluated, a feasible candidate lacks a metric, the
/// space has no candidates, or a callback fails. An interruption gives a partial result.
std::optional<SweepResult> sweep(Space& space, const SweepRequest& request, Diagnostics& diagnostics);

}  // namespace opledger
