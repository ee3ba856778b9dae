#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "search/sweep/found_rows.h"
#include "search/sweep/tally.h"

/// The options of a sweep over the candidates of a space, and its reports while it runs.
namespace opledger {

class KnownStructures;
struct Question;
struct Space;

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

/// Candidates of a stretch at most. The more the faster, since their prefixes have more in common; but all that are feasible are held when they are listed,
/// there must be some for everyone when they are shared, and who watches wants to see it go on. Where they are listed it depends on the space alone. `stops`:
/// some axis does.
std::uint64_t most_of_stretch(std::uint64_t total, const SweepRequest& request, bool stops);

/// What a sweep asks of every candidate: what decides and what is listed first, then what is told of single ones.
Question question_of(const Space& space, const SweepRequest& request);

}  // namespace opledger
