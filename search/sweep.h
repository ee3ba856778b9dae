#pragma once
#include <optional>

#include "search/part.h"

/// Goes over all candidates of a space and keeps the best.
namespace opledger {

struct SweepResult : Tally {
  std::size_t structures = 0, parts = 0;  ///< Compiled on the way; what they were evaluated in.
  bool partial = false;                   ///< It was stopped before the end.
};

/// Empty, with errors, if some candidate can't be evaluated.
std::optional<SweepResult> sweep(Space& space, const SweepRequest& request, Diagnostics& diagnostics);

}  // namespace opledger
