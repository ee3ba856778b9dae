#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "run/documents.h"
#include "search/sweep/sweep_request.h"

/// The names and options that a search is given, and its reports while it runs.
namespace opledger {

class Ranks;
struct CandidateSink;

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

}  // namespace opledger
