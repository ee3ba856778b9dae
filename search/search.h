#pragma once
#include <string>
#include <vector>

#include "search/processes/shared.h"
#include "search/sweep/columns.h"

/// A search from names of documents to what the best candidates are and cost.
namespace opledger {

/// How far a search is, for people.
struct SearchStatus {
  std::uint64_t done = 0, total = 0;  ///< Candidates; total 0: not known.
  std::uint64_t before = 0;           ///< Those of them that the store had.
  std::string best;                   ///< `sample_rate 105.3`; empty: none is feasible so far.
};

struct SearchRequest {
  RunRequest run;  ///< `space` names the space; what has a value there is no axis.
  SweepRequest sweep;
  std::vector<std::string> metrics;  ///< Of the best candidates, besides what is best; by their published names.
  std::vector<std::string> where;    ///< Further conditions.
  std::vector<std::string> stop;     ///< Axes that stop, besides those of the space.
  std::vector<std::string> pareto;   ///< Metrics of the front; behind `+` the largest is the best, behind `-` the smallest.
  CandidateSink* sink = nullptr;     ///< Of all feasible candidates, with the same metrics.
  std::string store;                 ///< A SQLite file for the same; empty: none.
  bool resume = false;               ///< The store's search is continued.
  std::size_t played = 0;            ///< So many of the best are played (search/played.h).
  bool refused = false;              ///< For every reason the best candidate that is refused for it, too.
  Ranks* ranks = nullptr;            ///< Processes that share the search; what is written down, rank 0 writes.
  std::function<void(const SearchStatus&)> watch;
};

struct SearchAnswer {
  SweepResult result;
  std::uint64_t before = 0;  ///< Candidates of the result, and skipped ones, that the store had.
  std::string accounting, objective;
  std::vector<std::string> axes, metrics, sums;  ///< Names; axes in the order of the space.
  std::vector<FrontMetric> pareto;
  struct Candidate {
    std::vector<Value> execution, metrics;
    std::uint64_t alike = 1;
  };
  std::vector<Candidate> best, front;  ///< Each run once: `alike` of the best is how many of those that were kept are the same run.
  struct Refused {
    std::string reason, message;  ///< What it lacks.
    Candidate candidate;          ///< It would be the best if it were not for this reason.
  };
  std::vector<Refused> refused;
  struct PlayedCandidate {
    Value by_formula, played;  ///< The objective; nothing: it has none.
    std::string why;           ///< Why it could not be played, or does not fit so; empty: it does.
  };
  std::vector<PlayedCandidate> played;  ///< The first of the best.
  std::vector<Value> totals;            ///< By sum: with its unit.
  Space space;                          ///< Keeps the texts of values.
};

/// Empty, with errors, if the space can't be read or a candidate not be evaluated; empty on all ranks but 0.
std::optional<SearchAnswer> search(const SearchRequest& request, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
