#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "search/sweep/found_rows.h"
#include "search/sweep/later_plan.h"
#include "search/sweep/tally.h"

/// Some candidates of a space, evaluated level by level.
namespace opledger {

/// A metric that decides what is on the front.
struct FrontMetric {
  std::string name;
  bool most = false;  ///< The largest is the best.
};

/// How far a search is.
struct SweepStatus {
  std::uint64_t done = 0, total = 0;  ///< Candidates; total 0: not known.
  std::optional<double> best;         ///< Score.
};

/// Stretches by number, the last one excluded.
struct StretchRange {
  std::uint64_t from = 0, to = ~std::uint64_t{0};
};

/// What was found in a stretch.
struct StretchFound {
  const Stretch& stretch;
  const Tally& some;      ///< In it.
  const Tally& all;       ///< In it and all before.
  const FoundRows& rows;  ///< All that is feasible in it, in the order of the space.
};

struct SweepRequest {
  std::size_t top = 10;
  std::vector<std::string> sums;     ///< Metrics that are added up over the feasible candidates.
  std::size_t jobs = 0;              ///< Threads at most; 0: as many as there are processors. No result depends on it.
  std::vector<FrontMetric> front;    ///< None: no front.
  std::vector<std::string> metrics;  ///< Of every feasible candidate, for `rows`.
  std::vector<std::string> told;     ///< Further metrics, of candidates that are evaluated by themselves afterwards: see `SweepResult::known`.
  std::string refused_by;            ///< A reason: candidates count as feasible that are refused for it, and no others. Empty: the feasible ones do.
  bool list = false;                 ///< All feasible candidates are wanted in `rows`; else there are none in it.
  std::uint64_t held =
      1 << 15;  ///< Candidates of a stretch at most, where they are listed: the feasible ones are held until then. With more of them it is faster.
  /// Is told of every stretch, in the order of the space. False: the search ends there, with an error that was reported.
  std::function<bool(const StretchFound&, Diagnostics&)> rows;
  /// Which stretches are searched: some, then those that it gives next, until it gives none; it may know of structures. Not given: all from `first` on.
  std::function<std::optional<StretchRange>(KnownStructures&)> ranges;
  std::size_t sharers = 0;  ///< Processes that go through the space together; 0: this one does alone.
  std::uint64_t first = 0;  ///< The first stretch of this search: those before are in `before`.
  std::optional<Tally> before;
  std::function<void(const SweepStatus&)> watch;  ///< Is told now and then, often, by the thread that searches.
  const std::atomic<bool>* stop = nullptr;        ///< Once it is true the search ends with what has been found.

  bool stopped() const { return stop != nullptr && stop->load(std::memory_order_relaxed); }
};

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
