#pragma once
#include <set>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "graph/annotations.h"
#include "rules/annotate.h"
#include "rules/grid.h"
#include "rules/one_rank.h"
#include "rules/rule_set.h"
#include "rules/transition.h"

/// What the passes hand on to each other, and the small questions that all of them ask.
namespace opledger {

/// Who needs or makes a tensor: a node, or the border of a segment, where a tensor lies as an elementwise node with its dimensions would have it.
struct Party {
  NodeId node = -1;
  TensorId border = -1;
};

using Copies = std::vector<std::vector<Placement>>;  ///< By TensorId: where a tensor is at hand; the first is as its producer leaves it.

struct Derivation {
  const Graph& graph;
  const SizeQuestions& sizes;
  OneRank& ones;
  Diagnostics& diagnostics;
  RuleSet rules{};  ///< Those whose conditions hold.
  Annotations out{};
  Grid grid{};

  std::vector<std::vector<std::pair<NodeId, std::size_t>>> readers{};  ///< By TensorId: (node, which of its inputs).
  std::vector<NodePlacement> homes{};                                  ///< By TensorId: how a segment's inputs and output lie between segments.
  Copies at_hand{};                                                    ///< After forward.
  Copies kept{}, rebuilt{};                                            ///< For backward; what recomputation makes again.
  std::vector<bool> region{};                                          ///< By NodeId: what is recomputed.
  std::vector<bool> dropped{};                                         ///< By NodeId: of these, whose outputs are made again for gradients outside too.
  std::set<const ShardRule*> clashes{};                                ///< Rules already reported.

  const Tensor& tensor(TensorId t) const { return graph.tensors[static_cast<std::size_t>(t)]; }
  const NodePlacement& of(NodeId n) const { return out.nodes[static_cast<std::size_t>(n)]; }
  NodePlacement& of(NodeId n) { return out.nodes[static_cast<std::size_t>(n)]; }
  const NodePlacement& of(Party party) const { return party.node >= 0 ? of(party.node) : homes[static_cast<std::size_t>(party.border)]; }
  /// The axes of the grid that a rule names, but those that are left out.
  AxisList axes(const std::vector<std::string>& names) const { return ones.without(out.mesh.expand(names)); }
  bool needs_gradient(TensorId t) const { return out.needs_gradient[static_cast<std::size_t>(t)] != 0; }
  bool recomputed(NodeId n) const { return out.recomputed[static_cast<std::size_t>(n)] != 0; }
  Party maker(TensorId t) const { return {tensor(t).producer, t}; }
};

bool contains_axis(const AxisList& list, AxisId axis);

/// Whether a node's dimensions, some of them, are split over the axis.
bool splits(const NodePlacement& node, AxisId axis);

/// Renames the other way round: (the reader's, the tensor's).
std::vector<std::pair<DimId, DimId>> reversed(const std::vector<std::pair<DimId, DimId>>& renames);

/// Sharded as the node splits these dimensions, replicated on all other axes.
Placement operand(const NodePlacement& node, const DimList& dims);

/// What an input of a node, by position, must be, in the names of the tensor.
Placement wanted(const Derivation& d, NodeId node, std::size_t input);

/// What a node leaves in any phase: an operand that is partial over the axes of dimensions it lacks, but those that inner reductions settle, and `passed`.
Placement result(const Derivation& d, NodeId node, const DimList& dims, const AxisList& passed = {});

/// Axes over which the gradient of a node's input or weight is partial beside what `result` finds: those of dy, and those of a summand that it reads.
AxisList passed_to(const Derivation& d, NodeId node, std::string_view port);

/// Positions of an operator's ports; -1: none of that name.
int input_port(const Node& node, std::string_view name);
int output_port(const Node& node, std::string_view name);
int weight_port(const Node& node, std::string_view name);

/// The rule that gave an axis to one of a party's dimensions; -1: none.
RuleId rule_for(const NodePlacement& placement, AxisId axis);

}  // namespace opledger
