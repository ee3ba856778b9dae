#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "search/sweep/candidate_rows.h"
#include "search/sweep/tally.h"

/// The request of a sweep over the candidates of a space: options, and callbacks for results and progress.
namespace opledger {

class TraceCache;
struct Query;
struct Space;

/// A metric of the Pareto front.
struct FrontMetric {
  std::string name;       ///< Published name.
  bool maximize = false;  ///< Maximize the metric; else minimize it.
};

/// The progress of a sweep.
struct SweepStatus {
  std::uint64_t done = 0, total = 0;  ///< Candidates evaluated or skipped, and all candidates; total 0 if not known.
  std::optional<double> best;         ///< The best score so far; empty if no candidate is feasible yet.
};

/// An interval of numbers of candidate ranges; `to` is excluded.
struct RangeInterval {
  std::uint64_t from = 0, to = ~std::uint64_t{0};
};

/// The options of a sweep. Results of the whole space depend on the space and on the requested outputs, not on the number
/// of threads or processes.
struct SweepRequest {
  std::size_t top = 10;                     ///< Largest number of best candidates to keep.
  std::vector<std::string> sums;            ///< Metrics whose sums over all feasible candidates are computed.
  std::size_t jobs = 0;                     ///< Number of threads; 0: the number of processors. Results do not depend on it.
  std::vector<FrontMetric> front;           ///< Metrics of the Pareto front; empty: no front is kept.
  std::vector<std::string> metrics;         ///< Metrics of every feasible candidate, for `rows`.
  std::vector<std::string> single_metrics;  ///< Metrics that the traces in `SweepResult::known` can evaluate after the sweep, for single candidates.
  std::string refused_by;                   ///< A reason of refusal: only candidates refused for it count as feasible. Empty: candidates that pass all checks.
  bool list = false;                        ///< Pass rows of all feasible candidates to `rows`; else `rows` gets tallies only.
  /// Largest number of candidates in a range if `list` is set, because the feasible candidates of a range stay in memory.
  /// Larger ranges are faster.
  std::uint64_t max_listed = 1 << 15;
  /// Limit of the instructions of all recordings, about 110 MB. Above it, recordings whose plans are made are dropped. A
  /// further candidate of a dropped recording gets a new one.
  std::size_t max_recorded = 1'500'000;
  /// Receives the result of each complete candidate range, in the order of the space. The sweep ends if it reports an
  /// error and returns false.
  std::function<bool(const RangeResult&, Diagnostics&)> rows;
  /// Returns the next candidate ranges to search, or nothing at the end; it may add traces to the cache. Null: the sweep
  /// searches all ranges from `first` on.
  std::function<std::optional<RangeInterval>(TraceCache&)> ranges;
  std::size_t process_count = 0;                  ///< Number of processes that share the space; 0: one process alone.
  std::uint64_t first = 0;                        ///< Number of the first candidate range to search; `before` has the tally of earlier ranges.
  std::optional<Tally> before;                    ///< Tally of the ranges before `first`; without a value, no candidates are counted before.
  std::function<void(const SweepStatus&)> watch;  ///< Receives the progress often, on the thread that searches.
  const std::atomic<bool>* stop = nullptr;        ///< When it becomes true, the sweep ends with the results so far. Null: never.

  bool stopped() const { return stop != nullptr && stop->load(std::memory_order_relaxed); }
};

/// Returns the largest number of candidates in a range. Larger ranges are faster, because candidates share prefixes.
/// Smaller ranges limit the memory of listed candidates, give each process a share, and show progress. If candidates
/// are listed, the number depends on `total` and `request.max_listed` alone. `total`: candidates of the space, 0 if
/// unknown. `stops`: an axis of the space ends after its first value without a feasible candidate (SpaceAxis::stops).
std::uint64_t max_range_size(std::uint64_t total, const SweepRequest& request, bool stops);

/// Returns the query of a sweep. Its outputs are the objective, sums, front metrics, listed metrics and single metrics, in
/// this order.
Query query_of(const Space& space, const SweepRequest& request);

}  // namespace opledger
