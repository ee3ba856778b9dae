#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "find/factors.h"
#include "find/incumbent.h"
#include "find/placed_graphs.h"
#include "find/placement_states.h"

/// The step time of a placed graph as a sum of small tables. The section `find: placements` of the accounting states the
/// seconds and bytes of nodes, weights, messages and saved tensors.
namespace opledger {

/// Returns the rules of a run in which every node and boundary has the chosen state. Rules for other subjects, such as
/// weights and marks, stay as in `base`.
RuleSet rules_for(const PlacementSpace& space, const RuleSet& base, const StateChoice& states);

/// The measured costs of all states of a space.
class PlacementCosts {
 public:
  /// Measures nodes, weights, messages and saved tensors. The arguments must outlive the object. Null if a tensor has too
  /// many combinations of states, with the reason in `too_large`; null, with errors, if a formula fails.
  static std::unique_ptr<PlacementCosts> measure(PlacedGraphs& graphs, const Datum& section, const PlacementSpace& space, TensorDerivation& derivation,
                                                 std::string& too_large, Diagnostics& diagnostics);
  virtual ~PlacementCosts() = default;

  /// Returns tables over the variables of the space: cost in seconds of a step, size in bytes of a rank. A node has a
  /// table over its own state; a tensor has a table over its producer, its readers and its boundary; a weight with several
  /// uses forbids states that place its uses differently.
  virtual FactorProblem tables(const Incumbent& incumbent) const = 0;
};

}  // namespace opledger
