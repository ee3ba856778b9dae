#pragma once
#include <string>
#include <vector>

#include "rules/tensor_derivation.h"

/// The placements that a search may choose from: states of nodes, and of tensors between segments.
namespace opledger {

/// A way to split a node or boundary over the searched axes: dimensions with their axes, outermost first. A searched axis
/// that no dimension has stays unassigned.
using Split = std::vector<std::pair<std::string, std::vector<std::string>>>;

/// A choice of the search: the placement of one node, or of all boundaries with the same dimensions.
struct PlacedVariable {
  std::string name;                  ///< Name of the node, or `between segments: DIMENSIONS`.
  NodeId node;                       ///< None for boundaries.
  std::vector<TensorId> boundaries;  ///< Tensors between segments; empty for a node.
  DimList dims;                      ///< Dimensions of the boundaries.
  std::vector<Split> states;         ///< All legal splits, in the order of axes and dimensions; the first has no axes.
};

/// The choices of a run. A node that is placed like its operand has no choice of its own.
struct PlacementSpace {
  std::vector<std::string> axes;       ///< Searched axes, outermost first.
  std::vector<ShardRule> fixed;        ///< Lines for the other axes, which stay as the run's rules give them.
  std::vector<PlacedVariable> variables;
  IdVector<NodeId, std::size_t> of_node;       ///< Variable that places each node.
  IdVector<TensorId, std::size_t> of_boundary;  ///< Variable of each boundary; kNoVariable for other tensors.
};

inline constexpr std::size_t kNoVariable = static_cast<std::size_t>(-1);

/// Enumerates the states: a split is legal if the passes, given a rule with this split, place the node so. `axes` are
/// names of single axes of the mesh. `lines` of the run give the rest of the axes.
PlacementSpace placement_space(const Graph& graph, TensorDerivation& derivation, const std::vector<std::string>& axes);

/// Returns the rule that gives a node or boundary this split: fixed lines first, then a line for each axis, and no other
/// rule may give a searched axis.
NodeRule rule_for_split(const PlacementSpace& space, const Split& split);

/// Sets the placements of all nodes of a variable, with the nodes that are placed like them, or of its boundaries.
void set_state(const PlacementSpace& space, const Graph& graph, TensorDerivation& derivation, std::size_t variable, std::size_t state);

}  // namespace opledger
