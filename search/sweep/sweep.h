#pragma once
#include <optional>

#include "search/sweep/sweep_request.h"
#include "search/sweep/sweep_result.h"

/// Goes over all candidates of a space and keeps the best.
namespace opledger {

/// Empty, with errors, if some candidate can't be evaluated.
std::optional<SweepResult> sweep(Space& space, const SweepRequest& request, Diagnostics& diagnostics);

}  // namespace opledger
