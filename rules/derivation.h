#pragma once
#include <set>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "base/function_ref.h"
#include "graph/annotations.h"
#include "rules/grid.h"
#include "rules/one_rank.h"
#include "rules/rule_set.h"
#include "rules/size_questions.h"
#include "rules/transition.h"

/// What the passes hand on to each other, and the small questions that all of them ask.
namespace opledger {

constexpr double kStateBytes = 4;  ///< Statistics and running states are in single precision.

/// Who needs or makes a tensor: a node, or the border of a segment, where a tensor lies as an elementwise node with its dimensions would have it.
struct Party {
  NodeId node;
  TensorId border;
};

using Copies = IdVector<TensorId, std::vector<Placement>>;  ///< Where a tensor is at hand; the first is as its producer leaves it.
using CopiesOf = FunctionRef<std::vector<Placement>&(TensorId)>;

struct Derivation {
  const Graph& graph;
  const SizeQuestions& sizes;
  OneRank& ones;
  Diagnostics& diagnostics;
  RuleSet rules{};  ///< Those whose conditions hold.
  Annotations out{};
  Grid grid{};

  IdVector<TensorId, std::vector<std::pair<NodeId, std::size_t>>> readers{};  ///< (node, which of its inputs).
  IdVector<TensorId, NodePlacement> homes{};                                  ///< How a segment's inputs and output lie between segments.
  Copies at_hand{};                                                           ///< After forward.
  Copies kept{}, rebuilt{};                                                   ///< For backward; what recomputation makes again.
  IdVector<NodeId, bool> region{};                                            ///< What is recomputed.
  IdVector<NodeId, bool> dropped{};                                           ///< Of these, whose outputs are made again for gradients outside too.
  std::set<const ShardRule*> clashes{};                                       ///< Rules already reported.

  const Tensor& tensor(TensorId t) const { return graph.tensors[t]; }
  const NodePlacement& of(NodeId n) const { return out.nodes[n]; }
  NodePlacement& of(NodeId n) { return out.nodes[n]; }
  const NodePlacement& of(Party party) const { return party.node ? of(party.node) : homes[party.border]; }
  /// The axes of the grid that a rule names, but those that are left out.
  AxisList axes(const std::vector<std::string>& names) const { return ones.without(out.mesh.expand(names)); }
  bool needs_gradient(TensorId t) const { return out.needs_gradient[t] != 0; }
  /// Of a node's input or weight, by its port.
  bool needs_gradient(const Node& node, std::string_view port) const { return out.has_gradient(node, port); }
  bool recomputed(NodeId n) const { return out.recomputed[n] != 0; }
  Party maker(TensorId t) const { return {tensor(t).producer, t}; }
};

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

/// The rule that gave an axis to one of a party's dimensions; none: no rule.
RuleId rule_for(const NodePlacement& placement, AxisId axis);

}  // namespace opledger
