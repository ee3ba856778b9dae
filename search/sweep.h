#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "search/part.h"

/// Goes over all candidates of a space and keeps the best.
namespace opledger {

struct SweepResult {
  std::uint64_t candidates = 0, feasible = 0;
  std::map<std::string, std::uint64_t> infeasible;  ///< By reason.
  std::vector<double> sums;
  std::vector<Found> best;  ///< The best first; of equals, the first in the order of the space.
  std::size_t structures = 0, parts = 0;
};

/// Empty, with errors, if some candidate can't be evaluated.
std::optional<SweepResult> sweep(Space& space, const SweepRequest& request, Diagnostics& diagnostics);

}  // namespace opledger
