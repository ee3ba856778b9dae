#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "search/sweep/found_rows.h"
#include "search/sweep/tally.h"

/// The request of a sweep over the candidates of a space: options, and callbacks for results and progress.
namespace opledger {

class KnownStructures;
struct Question;
struct Space;

/// A metric of the Pareto front.
struct FrontMetric {
  std::string name;
  bool most = false;  ///< Maximize the metric; else minimize it.
};

/// The progress of a sweep.
struct SweepStatus {
  std::uint64_t done = 0, total = 0;  ///< Candidates evaluated, and all; total 0 if not known.
  std::optional<double> best;         ///< The best score so far; empty if no candidate is feasible yet.
};

/// Numbers of stretches; `to` is excluded.
struct StretchRange {
  std::uint64_t from = 0, to = ~std::uint64_t{0};
};

struct SweepRequest {
  std::size_t top = 10;
  std::vector<std::string> sums;     ///< Metrics whose sums over all feasible candidates are computed.
  std::size_t jobs = 0;              ///< Number of threads; 0: the number of processors. Results do not depend on it.
  std::vector<FrontMetric> front;    ///< Metrics of the Pareto front; empty: no front is kept.
  std::vector<std::string> metrics;  ///< Metrics of every feasible candidate, for `rows`.
  std::vector<std::string> told;     ///< Metrics for single candidates that are evaluated after the sweep, by `SweepResult::known`.
  std::string refused_by;            ///< A reason of refusal: the candidates refused for it count as feasible, and no others. Empty: feasible candidates do.
  bool list = false;                 ///< Pass all feasible candidates to `rows`; else `rows` gets none.
  /// Largest number of candidates in a stretch if `list` is set: its feasible candidates are held in memory. Longer stretches are faster.
  std::uint64_t held = 1 << 15;
  /// Receives the result of each stretch, in the order of the space. If it returns false, having reported an error, the sweep ends.
  std::function<bool(const StretchFound&, Diagnostics&)> rows;
  /// Returns the next stretches to search, or nothing at the end; it may add known structures. Null: all stretches from `first` on are searched.
  std::function<std::optional<StretchRange>(KnownStructures&)> ranges;
  std::size_t sharers = 0;  ///< Number of processes that share the space; 0: one process alone.
  std::uint64_t first = 0;  ///< The first stretch to search; `before` has the tally of earlier stretches.
  std::optional<Tally> before;
  std::function<void(const SweepStatus&)> watch;  ///< Receives the progress often, on the thread that searches.
  const std::atomic<bool>* stop = nullptr;        ///< When it becomes true, the sweep ends with the results so far.

  bool stopped() const { return stop != nullptr && stop->load(std::memory_order_relaxed); }
};

/// Returns the largest number of candidates in a stretch. Longer stretches are faster, because candidates share prefixes. Shorter ones limit the memory of
/// listed candidates, give each process a share, and show progress. If candidates are listed, the number depends on the space alone.
/// `stops`: some axis ends early.
std::uint64_t most_of_stretch(std::uint64_t total, const SweepRequest& request, bool stops);

/// Returns the metrics that a sweep evaluates: the objective, the front, sums and listed metrics first, then `told`.
Question question_of(const Space& space, const SweepRequest& request);

}  // namespace opledger
