#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "graph/kept.h"
#include "graph/marks.h"
#include "graph/mesh.h"
#include "graph/placement.h"

/// What rule passes say of a graph: where every node computes, which tensors travel and how, what is kept for backward, where weights live. Each with
/// the rule that made it. Sizes stay symbolic: a tensor's elements on one rank are its dimensions over the axes of a placement.
namespace opledger {

enum class Phase : std::uint8_t { forward, recompute, agrad, wgrad, optimizer };
enum class Cadence : std::uint8_t { microbatch, step };
enum class Collective : std::uint8_t { slice, reduce_scatter, all_to_all, all_reduce, all_gather, point_to_point };

const char* to_string(Phase phase);
const char* to_string(Cadence cadence);
const char* to_string(Collective kind);  ///< `reduce-scatter`, …

struct NodePlacement {
  std::vector<std::pair<DimId, AxisList>> axes;  ///< One entry for each of the node's dimensions, in their order; an empty list: replicated.
  AxisList consumed;                                ///< Used up though they shard nothing.
  AxisList passed;                               ///< Partial gradients handed on through the node.
  std::vector<std::int32_t> linear_inputs;             ///< Inputs whose partial sums a rule lets run through the node.
  std::int32_t summand = -1;                     ///< The one of them that does: the node's result is then partial over `summed` too. -1: none.
  AxisList summed;
  std::vector<std::pair<AxisId, RuleId>> why;
  std::vector<std::pair<AxisId, DimList>> unassigned;  ///< Axes whose ranks repeat its work, with dimensions that could take them and that no rule gives them.
  MarkList marks;
  const AxisList& of(DimId d) const;
};

/// One collective (or a send) for one tensor, as derived.
struct Transfer {
  Phase phase = Phase::forward;
  Cadence cadence = Cadence::microbatch;
  Collective kind = Collective::all_reduce;
  AxisList axes;
  std::string what;   ///< `decoder.o`, `d decoder.ln1 (sum of 3)`: see `tensor`, `weight`, `gradient`, `terms`.
  std::string label;  ///< The same without the segment.
  TensorId tensor;    ///< One of tensor and weight, or neither (a statistic).
  WeightId weight;
  bool gradient = false;
  bool again = false;                   ///< Gathered again in backward.
  std::int32_t terms = 1;               ///< How many were added before it.
  NodeId reader;                        ///< Who needs it; none: the next segment.
  std::vector<NodeId> readers, makers;  ///< All nodes that read what arrives and that make what is sent.
  std::vector<SegmentId> sharing;       ///< Segments whose uses share this message of a weight, if it is of the gradient or of a step; else empty.
  SegmentId segment;
  DimList dims;
  double times = 1;   ///< Elements per entry of dims (statistics).
  Placement message;  ///< Elements of the message on one rank: dims over these axes. Before reduce-scatter, all-reduce, all-to-all, send; after all-gather.
  DimId from = kElements, to = kElements;  ///< all-to-all: the dimensions that lose and gain the axes.
  ExprPtr width;                           ///< Bytes of an element; null: activations (tensor) or weights.
  double fixed_width = 0;                  ///< Bytes of an element when not 0 (statistics: 4).
  std::string extent;                      ///< halo: the dimension's margin, a formula's text; empty otherwise.
  ExprPtr margin;                          ///< halo: entries sent per row; dims lacks the dimension itself.
  RuleId rule;                             ///< That placed the axis.
  RuleId weight_rule;
  bool stages = false;  ///< Among the stages that use a tied weight, or between neighbouring stages; `axes` are then those that cut the layers.
  MarkList marks;
};

/// A weight beside its compute placement.
struct WeightPlacement {
  Placement compute, stored, kept, gradient, optimizer;
  /// The placement in which each use computes with the weight, in the weight's dimensions; empty if all uses compute with it in `compute`.
  std::vector<Placement> uses;
  std::vector<RuleId> rules;
  MarkList marks;

  /// The placement in which one use, by its position in `Weight::uses`, computes with the weight.
  const Placement& of_use(std::size_t use) const { return uses.empty() ? compute : uses[use]; }
};

/// A division that must come out even: `size(dimension) % degree(axes) == 0`.
struct Divisibility {
  NodeId node;       ///< None: an input of a segment.
  std::string name;  ///< Of the node or input.
  DimId dimension;
  AxisList axes;
  RuleId rule;
};

struct Annotations {
  Mesh mesh;
  AxisList layers;  ///< Axes that cut the layers into stages, outermost first.
  RuleId layer_rule;
  IdVector<RuleId, RuleRef> rules;
  IdVector<MarkId, Mark> marks;  ///< All that rules say, whether or not they found something to mark.
  IdVector<NodeId, NodePlacement> nodes;
  IdVector<TensorId, Placement> inputs;       ///< Where a segment's input (or output) lies between segments; empty for other tensors.
  IdVector<NodeId, std::uint8_t> recomputed;  ///< Backward runs it again.
  IdVector<NodeId, std::uint8_t> dropped;     ///< It is in a region that keeps nothing, whether or not it runs again.
  IdVector<NodeId, NodeId> kernels;           ///< The first of the nodes that are one kernel with it; most are one by themselves.
  IdVector<NodeId, std::uint8_t> once;        ///< It has nothing new to do in calls that go on with a sequence.
  IdVector<TensorId, std::uint8_t> inner;     ///< It never leaves the kernel that makes it. Its gradients read what it is made from.
  IdVector<TensorId, std::uint8_t> needs_gradient;
  IdVector<WeightId, std::uint8_t> trained;  ///< The others have neither gradients nor optimizer states.
  std::vector<Transfer> transfers;
  std::vector<Saved> saved;
  std::vector<CachedTensor> cached;
  IdVector<WeightId, WeightPlacement> weights;
  std::vector<Divisibility> divisions;
  std::vector<std::pair<DimId, AxisList>> padded;  ///< Dimensions that may be split unevenly, rounded up.
  std::vector<std::string> log;                    ///< What each pass did, for `graph --explain`.

  /// Whether the gradient of a node's input or weight, by its port, is computed.
  bool has_gradient(const Node& node, std::string_view port) const;
};

}  // namespace opledger
