#pragma once
#include <atomic>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "find/factors.h"
#include "find/placed_graphs.h"
#include "find/placement_states.h"
#include "formulas/value.h"
#include "run/documents.h"

/// Finds the placements with which a run is fastest.
namespace opledger {

/// A question for placements.
struct PlacementsRequest {
  RunRequest run;
  std::vector<std::string> axes;  ///< Searched axes of the mesh; empty: all that the accounting does not keep.
  /// Bytes of a rank. Empty: the capacity of the processor; infinity: no limit.
  std::optional<double> budget;
};

/// One assignment, evaluated by the engine.
struct PlacementsTrial {
  Assignment states;
  Value step, memory;  ///< Seconds of a step, and bytes of a rank; empty without a value.
  std::string reason;  ///< Reason why there is no value.
};

/// The answer.
struct FoundPlacements {
  PlacementSpace space;
  PlacementsTrial found;
  double estimate = 0;    ///< Seconds of a step of the found assignment by the sum of tables.
  std::size_t rounds = 0;  ///< Number of evaluations.
};

/// Finds placements. Empty, with errors, if the run can't be prepared or no assignment fits the budget.
std::optional<FoundPlacements> find_placements(const PlacementsRequest& request, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
