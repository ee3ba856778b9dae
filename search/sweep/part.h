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
struct Part {
  std::shared_ptr<LaterPlan> plan;
  std::shared_ptr<const Stretch> stretch;
  Region region;                    ///< Of the first sibling; of axes that are not fixed it leaves all the same.
  std::vector<Sibling> siblings;    ///< Those of the plan, with values of all that is fixed.
  AxisSet fixed = 0;                ///< Axes that have one value in each sibling.
  std::optional<std::size_t> stop;  ///< The axis that is looked at: with which of its values something is feasible is all that is wanted.
};

struct PartResult {
  std::uint64_t candidates = 0;
  std::vector<std::uint64_t> feasible;              ///< By sibling.
  std::vector<std::vector<std::uint64_t>> refused;  ///< By sibling and place of a check: the first that fails.
  std::vector<std::vector<double>> some;            ///< By sibling: the values of one that is feasible; empty: none is.
  std::vector<ExactSum> sums;
  std::vector<Found> best;  ///< The best first; of equals, the first in the order of the space.
  Front front;
  FoundRows rows;
  std::vector<Stops::Key> with;  ///< Where an axis that stops is looked at, values with which something is feasible.
};

/// Every thread has its own.
class PartRunner {
 public:
  PartRunner(Space& space, const FreeAxes& free, const Stops& stops, const SweepRequest& request);
  ~PartRunner();

  /// The candidates of one of the plan's shares of a part. Empty if it was stopped, or, with errors, if one can't be evaluated.
  std::optional<PartResult> run(const Part& part, std::size_t share, Diagnostics& diagnostics);

 private:
  class Levels;

  Space& space_;
  const FreeAxes& free_;
  const Stops& stops_;
  const SweepRequest& request_;
  Assignment assignment_;
};

}  // namespace opledger
