#pragma once
#include <optional>

#include "search/sweep/sweep_request.h"
#include "search/sweep/sweep_result.h"

/// A sweep evaluates every candidate of a space and keeps sums, counts, the best candidates and the Pareto front.
namespace opledger {

/// Runs a sweep. Returns nothing, with errors, if a domain can't be evaluated, a feasible candidate lacks a value of the
/// objective, a sum or a front metric, or a callback fails. A space without candidates is an error too, unless
/// `request.ranges` is set. An interruption gives a partial result. A candidate that can't be evaluated counts as refused.
std::optional<SweepResult> sweep(Space& space, const SweepRequest& request, Diagnostics& diagnostics);

}  // namespace opledger
