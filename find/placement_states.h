#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "find/factors.h"
#include "rules/tensor_derivation.h"

/// The placements that a search may choose from: states of nodes, and of tensors between segments.
namespace opledger {

/// A way to split a node or boundary over the searched axes: dimensions with their axes, outermost first. A searched axis
/// that no dimension has stays unassigned.
using Split = std::vector<std::pair<std::string, std::vector<std::string>>>;

/// A state of a node or boundary.
struct PlacedState {
  Split split;
  /// A guess whether the node passes on partial sums of gradients over the axes that its split reserves without splitting.
  /// Rules can't choose this: derivation decides it, and a wrong guess has infinite cost. With two states for one split,
  /// the table of each tensor depends on its own nodes only.
  bool passes_partial_sums = false;
};

/// A choice of the search: the placement of one node, or of all boundaries with the same dimensions.
struct PlacedVariable {
  std::string name;                  ///< Name of the node, or `between segments: DIMENSIONS`.
  NodeId node;                       ///< None for boundaries.
  std::vector<TensorId> boundaries;  ///< Tensors between segments; empty for a node.
  DimList dims;                      ///< Dimensions of the boundaries.
  std::vector<PlacedState> states;   ///< All legal states, in the order of axes and dimensions; the first has no axes.
};

/// The choices of a run. A node that is placed like its operand has no choice of its own.
struct PlacementSpace {
  std::vector<std::string> axes;         ///< Searched axes, outermost first.
  std::vector<ShardRule> fixed;          ///< Lines for the other axes, which stay as the run's rules give them.
  std::map<std::string, Uneven> uneven;  ///< Handling of dimensions that an axis does not divide, by the run's rules; default: `skip`.
  std::vector<PlacedVariable> variables;
  IdVector<NodeId, std::size_t> of_node;        ///< Variable that places each node.
  IdVector<TensorId, std::size_t> of_boundary;  ///< Variable of each boundary; kNoVariable for other tensors.
};

inline constexpr std::size_t kNoVariable = static_cast<std::size_t>(-1);

/// Enumerates the states: a split is legal if the passes, given a rule with this split, place the node accordingly. `axes`
/// are names of single axes of the mesh. Rules of the run give the other axes (`fixed`).
PlacementSpace placement_space(const Graph& graph, TensorDerivation& derivation, const std::vector<std::string>& axes);

/// A space with fewer states.
struct RestrictedSpace {
  PlacementSpace space;
  std::vector<StateChoice> whole;  ///< By variable: the number of each state in the whole space.
};

/// Returns the space in which `axes` are chosen anew, and all other searched axes stay as `states` have them.
RestrictedSpace restricted(const PlacementSpace& space, const StateChoice& states, const std::vector<std::string>& axes);

/// Returns the states in which the rules of the derivation place nodes and boundaries. A placement that no state has
/// counts as unsharded.
StateChoice states_of_rules(const PlacementSpace& space, TensorDerivation& derivation);

/// Returns the rule that gives a node or boundary this split: fixed lines first, then a line for each axis, and no other
/// rule may give a searched axis.
NodeRule rule_for_split(const PlacementSpace& space, const Split& split);

/// Returns the line that gives an axis to a dimension.
ShardRule line_of(const PlacementSpace& space, const std::string& dimension, const std::string& axis);

/// Returns the placement of a node in a state.
NodePlacement placement_of(const PlacementSpace& space, TensorDerivation& derivation, NodeId node, const PlacedState& state);

}  // namespace opledger
