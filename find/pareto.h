#pragma once
#include <limits>
#include <string>
#include <vector>

#include "find/elimination_plan.h"
#include "find/factors.h"

/// All assignments that are the cheapest of their size (the Pareto front of size and cost).
namespace opledger {

/// The bound of sizes, the rounding, and the limits of work.
struct ParetoOptions {
  double bound = std::numeric_limits<double>::infinity();  ///< Largest total size of interest.
  /// Unit to which sizes are rounded up, so that fronts stay short; 0: exact. Of each table, the least size is taken off
  /// before rounding, so tables of one size have no rounding error.
  double resolution = 0;
  double most_entries = kMostTableEntries;  ///< Limit of the combinations that one elimination enumerates.
  std::size_t most_points = 20'000;         ///< Limit of points on one front.
  std::size_t most_sums = 40'000'000;       ///< Limit of sums of points that are kept in total, which bounds the memory.
};

/// An assignment that no other one beats in both size and cost.
struct ParetoPoint {
  double size = 0, cost = 0;  ///< Totals of the tables, without rounding.
  StateChoice states;
};

/// The answer.
struct ParetoFront {
  /// Points in ascending order of size; costs fall. Empty if no permitted assignment is within the bound. With a
  /// resolution, sizes are rounded up: a point's size may be larger than the least one for its cost by the resolution for
  /// each table, and a point within the bound by less than that may be missing.
  std::vector<ParetoPoint> points;
  std::string error;  ///< Not empty if a limit would be exceeded.
};

/// Returns the front.
ParetoFront pareto(const FactorProblem& problem, const ParetoOptions& options = {});

}  // namespace opledger
