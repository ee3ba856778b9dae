#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "search/space/space.h"
#include "search/sweep/sweep_request.h"
#include "search/sweep/sweep_result.h"

/// The result of a search: the best candidates of a space with their metrics, totals, and counts of refused candidates.
namespace opledger {

struct FoundTogether;

/// The answer to a search request. Its candidates have values with units and words, ready to print.
struct SearchAnswer {
  SweepResult result;                            ///< Counts of candidates by outcome, sums, and the raw best candidates and front.
  std::uint64_t before = 0;                      ///< Number of candidates that an earlier search had stored, skipped candidates included.
  std::string accounting, objective;             ///< Names of the accounting, and of the metric that the search optimizes.
  std::vector<std::string> axes, metrics, sums;  ///< Names of columns; axes in the order of the space.
  std::vector<FrontMetric> pareto;               ///< Metrics of the front.
  /// A candidate: one value per axis column, one per metric column.
  struct Candidate {
    std::vector<Value> execution, metrics;  ///< Values of `axes`, and of `metrics`.
    /// Number of candidates with the same metrics (front), or with the same run among the sweep's best (best).
    std::uint64_t multiplicity = 1;
  };
  std::vector<Candidate> best, front;  ///< Best first; the front sorted by its metrics.
  /// The candidate with the smallest `Space::simplicity` metric among those almost as good as the best. Nothing if the
  /// space does not say what is simple, if a front was requested, or if no candidate is feasible.
  std::optional<Candidate> simplest;
  /// The best candidate for each degree of simplicity, from the best objective to the simplest candidate.
  std::vector<Candidate> by_simplicity;
  /// An axis that had one value in the whole space, and the inputs of the space that may allow further values.
  struct HeldAxis {
    std::string axis;
    Value value;
    std::vector<std::string> inputs;  ///< Inputs that the domain of the axis reads, not empty.
  };
  std::vector<HeldAxis> held_axes;  ///< In the order of the space.
  /// A refused candidate, one of the best of those with the same reason.
  struct Refused {
    std::string reason, message;  ///< The reason, and the message with its numbers.
    Candidate candidate;          ///< The refused candidate.
  };
  std::vector<Refused> refused;  ///< Entries for each reason with a ranked candidate, best first; empty unless requested.
  /// A candidate whose step was simulated (search/played_candidates.h).
  struct PlayedCandidate {
    Value by_formula, played;  ///< Objective by formulas, and by simulation of the step; of kind `nothing` without a value.
    std::string why;           ///< Why the step can't be simulated, or violates a constraint when simulated; else empty.
  };
  std::vector<PlayedCandidate> played;  ///< The first candidates of `best`, in the same order.
  /// A candidate whose placements or other parts were found (search/found_candidates.h).
  struct FoundCandidate {
    Value searched, found;                       ///< Objective of the search, and of the found run; of kind `nothing` without a value.
    std::shared_ptr<const FoundTogether> parts;  ///< The answer (find/find_together.h); null if nothing can be found.
    std::string why;                             ///< Why nothing was found; else empty.

    const Value& best() const { return found.is_number() ? found : searched; }  ///< Objective of the run as written.
  };
  std::vector<FoundCandidate> found;  ///< The first candidates of `best`, in the same order.
  std::vector<Value> totals;          ///< Total of each sum, with its unit.
  Space space;                        ///< The searched space, which owns the texts of values.
};

}  // namespace opledger
