#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "find/find_part.h"
#include "run/documents.h"
#include "search/sweep/sweep_request.h"

/// The request of a search: names of documents, options, and a callback for progress.
namespace opledger {

class Ranks;
struct CandidateSink;

/// The progress of a search, as text for users.
struct SearchStatus {
  std::uint64_t done = 0, total = 0;  ///< Candidates evaluated or skipped, and all candidates; total 0 if not known.
  std::uint64_t before = 0;           ///< Candidates of `done` that an earlier search had stored.
  std::string best;                   ///< The best objective so far, such as `sample_rate 105.3`; empty if no candidate is feasible yet.
};

/// The options of a search. Names and texts are checked by `search`.
struct SearchRequest {
  RunRequest run;                    ///< The run; `space` names the space. An input with an override here is no axis of the search.
  SweepRequest sweep;                ///< Options of the sweep; `search` sets callbacks, and the metrics of front, rows and headroom.
  std::string objective;             ///< Metric to optimize in place of that of the space, with the space's direction; empty: that of the space.
  std::vector<std::string> metrics;  ///< Published names of metrics to report for the best candidates, besides the objective.
  std::vector<std::string> where;    ///< Conditions on candidates, besides those of the space.
  std::vector<std::string> stop;     ///< Axes that end at the first value without a feasible candidate, besides those of the space.
  /// Metrics of the Pareto front: `+NAME` is maximized, `-NAME` minimized. Without a sign, the objective keeps its
  /// direction, and other metrics are minimized.
  std::vector<std::string> pareto;
  CandidateSink* sink = nullptr;                   ///< Receives all feasible candidates with the metrics of the answer; null: no sink.
  std::string store;                               ///< SQLite file that receives all feasible candidates; empty: none.
  bool resume = false;                             ///< Continue the search in `store`.
  std::size_t played = 0;                          ///< Number of best candidates whose step is simulated (search/played_candidates.h).
  std::size_t found = 0;                           ///< Number of best candidates for which parts are found (search/found_candidates.h).
  std::vector<FindPart> find;                      ///< These parts.
  bool refused = false;                            ///< True to find the best refused candidates of each reason as well.
  std::size_t refused_each = 1;                    ///< At most so many for each reason.
  Ranks* ranks = nullptr;                          ///< Processes that share the search; rank 0 writes the results. Null: one process.
  std::function<void(const SearchStatus&)> watch;  ///< Receives the progress; may be null.
};

}  // namespace opledger
