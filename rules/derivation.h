#pragma once
#include <set>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "base/function_ref.h"
#include "graph/annotations.h"
#include "rules/grid.h"
#include "rules/node_index.h"
#include "rules/one_rank.h"
#include "rules/rule_set.h"
#include "rules/size_queries.h"
#include "rules/transition.h"

/// The state that the passes share, and helpers that several passes use.
namespace opledger {

constexpr double kStateBytes = 4;  ///< Bytes of an element of statistics and running states, which are in single precision.

/// The producer or reader of a tensor: a node, or the boundary of a segment. A tensor at a boundary is placed like an
/// elementwise node with its dimensions.
struct Endpoint {
  NodeId node;        ///< The node; none at a boundary.
  TensorId boundary;  ///< The tensor at a boundary; read only if `node` is none.
};

using Copies = IdVector<TensorId, std::vector<Placement>>;        ///< Placements in which each tensor is available.
using CopiesOf = FunctionRef<std::vector<Placement>&(TensorId)>;  ///< Access to the available placements of a tensor.

/// The state of one derivation: its inputs, the annotations so far, and intermediate results of passes.
struct Derivation {
  const Graph& graph;
  const SizeQueries& sizes;
  OneRank& ones;  ///< Axes known to have one rank; restarts the derivation when it finds another.
  Diagnostics& diagnostics;
  RuleSet rules{};         ///< Rules whose conditions hold.
  Annotations out{};       ///< The result.
  Grid grid{};             ///< Order and communicators of axes, after axes are cut.
  NodeIndex index{graph};  ///< Finds the nodes that a rule of `rules` selects.

  IdVector<NodeId, std::vector<const NodeRule*>> node_rules{};                ///< Rules of `nodes` that select each node.
  IdVector<TensorId, std::vector<std::pair<NodeId, std::size_t>>> readers{};  ///< Readers of each tensor: a node, and the position of its input.
  IdVector<TensorId, NodePlacement> boundaries{};                             ///< Placements of the inputs and outputs of segments between segments.
  Copies available{};                                                         ///< Placements after forward; the first of a tensor is its producer's.
  Copies saved{}, rebuilt{};                                                  ///< Placements stored for backward, and placements that recomputation restores.
  IdVector<NodeId, bool> region{};                                            ///< Nodes that rules select for recomputation.
  IdVector<NodeId, bool> dropped{};      ///< Selected nodes whose outputs are recomputed for gradients outside the region too.
  std::set<const ShardRule*> clashes{};  ///< Rules of which a clash was reported.

  const Tensor& tensor(TensorId t) const { return graph.tensors[t]; }
  /// Returns the placement of a node or boundary.
  const NodePlacement& of(NodeId n) const { return out.nodes[n]; }
  NodePlacement& of(NodeId n) { return out.nodes[n]; }
  const NodePlacement& of(Endpoint endpoint) const { return endpoint.node ? of(endpoint.node) : boundaries[endpoint.boundary]; }
  /// Returns the axes of the grid that a rule names, without single-rank axes.
  AxisList axes(const std::vector<std::string>& names) const { return ones.without(out.mesh.expand(names)); }
  bool needs_gradient(TensorId t) const { return out.needs_gradient[t] != 0; }  ///< Returns whether backward computes the tensor's gradient.
  /// Returns whether backward computes the gradient of a node's input or weight, by its port.
  bool needs_gradient(const Node& node, std::string_view port) const { return out.has_gradient(node, port); }
  bool recomputed(NodeId n) const { return out.recomputed[n] != 0; }    ///< Returns whether backward runs the node again.
  Endpoint maker(TensorId t) const { return {tensor(t).producer, t}; }  ///< Returns the producer of a tensor, or its boundary.
};

/// Returns whether the axis splits one of the node's dimensions.
bool splits(const NodePlacement& node, AxisId axis);

/// Returns the inverse renames: pairs of (reader's dimension, tensor's dimension).
std::vector<std::pair<DimId, DimId>> reversed(const std::vector<std::pair<DimId, DimId>>& renames);

/// Returns the placement of dimensions as the node splits them, replicated on the remaining axes.
Placement operand(const NodePlacement& node, const DimList& dims);

/// Returns the placement that a node requires of an input, by position, in the tensor's dimensions: as the node splits
/// them, and partial if the node lets the input's partial sum pass.
Placement required_placement(const Derivation& d, NodeId node, std::size_t input);

/// Returns the placement in which a node produces a result with dimensions `dims`: an output in forward, or the
/// gradient of an input or weight. Its dimensions are split as in the node. It is partial over the axes of contracted
/// dimensions, except dimensions that inner reductions sum. It is also partial over the axes `passed`, along which the
/// node only passes sums on.
Placement output_placement(const Derivation& d, NodeId node, const DimList& dims, const AxisList& passed = {});

/// Returns further axes over which the gradient of the input or weight at `port` is partial. They are the axes over
/// which the gradient of the node's output stays partial, and those of a partial operand that the gradient reads.
AxisList passed_to(const Derivation& d, NodeId node, std::string_view port);

/// Return the position of a port of the node; -1 if its operator has no port of that name, or the node leaves the port
/// out.
int input_port(const Node& node, std::string_view name);
int output_port(const Node& node, std::string_view name);

/// Returns the rule that gave an axis to the node, for a dimension or reserved; none if no rule did.
RuleId rule_for(const NodePlacement& placement, AxisId axis);

}  // namespace opledger
