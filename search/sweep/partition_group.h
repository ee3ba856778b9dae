#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "search/sweep/found_rows.h"
#include "search/sweep/plan.h"
#include "search/sweep/sweep_request.h"
#include "search/sweep/tally.h"

/// Some candidates of a space, evaluated level by level.
namespace opledger {

/// Candidates of structures that are evaluated together, with some values in common.
struct PartitionGroup {
  std::shared_ptr<LazyPlan> plan;
  std::shared_ptr<const Stretch> stretch;
  Region region;                    ///< Of the first variant; of axes that are not fixed it leaves all the same.
  std::vector<Variant> variants;    ///< Those of the plan, with values of all that is fixed.
  AxisSet fixed = 0;                ///< Axes that have one value in each variant.
  std::optional<std::size_t> stop;  ///< The axis that is looked at: with which of its values something is feasible is all that is wanted.
};

struct GroupResult {
  std::uint64_t candidates = 0;
  std::vector<std::uint64_t> feasible;              ///< By variant.
  std::vector<std::vector<std::uint64_t>> refused;  ///< By variant and place of a check: the first that fails.
  std::vector<std::vector<double>> examples;        ///< By variant: the values of one that is feasible; empty: none is.
  std::vector<ExactSum> sums;
  std::vector<Found> best;  ///< The best first; of equals, the first in the order of the space.
  Front front;
  FoundRows rows;
  std::vector<Stops::Key> stop_keys;  ///< Where an axis that stops is looked at, values with which something is feasible.
};

/// Every thread has its own.
class GroupRunner {
 public:
  GroupRunner(Space& space, const FreeAxes& free, const Stops& stops, const SweepRequest& request);
  ~GroupRunner();

  /// The candidates of one of the plan's shares of a group. Empty if it was stopped, or, with errors, if one can't be evaluated.
  std::optional<GroupResult> run(const PartitionGroup& group, std::size_t share, Diagnostics& diagnostics);

 private:
  class Levels;

  Space& space_;
  const FreeAxes& free_;
  const Stops& stops_;
  const SweepRequest& request_;
  Assignment assignment_;
};

}  // namespace opledger
