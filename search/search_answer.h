#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "search/space/space.h"
#include "search/sweep/sweep_request.h"
#include "search/sweep/sweep_result.h"

/// The result of a search: the best candidates of a space, and their metrics.
namespace opledger {

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

}  // namespace opledger
