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
  std::uint64_t before = 0;  ///< Number of candidates that an earlier search had stored, skipped ones included.
  std::string accounting, objective;
  std::vector<std::string> axes, metrics, sums;  ///< Names of columns; axes in the order of the space.
  std::vector<FrontMetric> pareto;
  struct Candidate {
    std::vector<Value> execution, metrics;
    std::uint64_t alike = 1;
  };
  std::vector<Candidate> best, front;  ///< Best candidates and the front, without duplicates of a run. `alike` counts the duplicates of a best one.
  struct Refused {
    std::string reason, message;  ///< The reason, and the message with its numbers.
    Candidate candidate;          ///< The candidate that would be the best without this reason.
  };
  std::vector<Refused> refused;
  struct PlayedCandidate {
    Value by_formula, played;  ///< The objective by formulas, and in the played step; null if the candidate has none.
    std::string why;           ///< Why the step can't be played, or does not fit when played; empty if neither holds.
  };
  std::vector<PlayedCandidate> played;  ///< The first candidates of `best`, in the same order.
  std::vector<Value> totals;            ///< Total of each sum, with its unit.
  Space space;                          ///< The searched space, which owns the texts of values.
};

}  // namespace opledger
