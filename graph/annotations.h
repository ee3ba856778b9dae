#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "graph/lasting_tensors.h"
#include "graph/marks.h"
#include "graph/mesh.h"
#include "graph/placement.h"

/// The output of the rule passes for a graph: placements of nodes, collectives of tensors, saved tensors, placements
/// of weights, each with the rule that caused it. `annotate` (rules/annotate.h) fills them; the accounting reads them.
/// Sizes stay symbolic. The elements of a tensor on one rank are its dimensions divided by the axes of its placement.
namespace opledger {

/// A phase of a step: forward; parts of forward that backward runs again; gradients of activations; gradients of
/// weights; the update of weights.
enum class Phase : std::uint8_t { forward, recompute, agrad, wgrad, optimizer };
/// The frequency of a transfer: once for each microbatch, or once for each step.
enum class Cadence : std::uint8_t { microbatch, step };
/// The operation of a transfer. A slice drops elements on each rank and sends nothing.
enum class Collective : std::uint8_t { slice, reduce_scatter, all_to_all, all_reduce, all_gather, point_to_point };

const char* to_string(Phase phase);      ///< `forward`, …
const char* to_string(Cadence cadence);  ///< `microbatch`, `step`
const char* to_string(Collective kind);  ///< `reduce-scatter`, …

/// The distribution of a node's work over the mesh. Each axis splits dimensions of the node, or is replicated: the
/// ranks along it do equal work.
struct NodePlacement {
  std::vector<std::pair<DimId, AxisList>> axes;  ///< An entry per dimension of the node, in order; an empty list means replicated.
  AxisList consumed;                             ///< Axes that a rule reserves here although they split no dimension.
  AxisList passed;                               ///< Axes of partial gradients that the node passes on without reduction.
  std::vector<std::int32_t> linear_inputs;       ///< Inputs through which a rule lets partial sums pass.
  std::int32_t summand = -1;                     ///< The input whose partial sum passes, so that the result is partial over `summed`; -1: none.
  AxisList summed;                               ///< Axes over which the result stays a sum over ranks, because `summand` is one.
  std::vector<std::pair<AxisId, RuleId>> why;    ///< The rule that gave each axis to the node.
  std::vector<std::pair<AxisId, DimList>>
      unassigned;  ///< Axes whose ranks repeat the node's work, with dimensions that could take the axis and have no rule for it.
  MarkList marks;
  /// Returns the axes that split a dimension; empty if none does or the node lacks the dimension.
  const AxisList& of(DimId d) const;
};

/// A derived collective, or a send, of one tensor.
struct Transfer {
  Phase phase = Phase::forward;
  Cadence cadence = Cadence::microbatch;
  Collective kind = Collective::all_reduce;
  AxisList axes;      ///< Axes whose ranks take part.
  std::string name;   ///< Name for people: `decoder.o`, `d decoder.ln1 (sum of 3)`.
  std::string label;  ///< The name without the segment.
  TensorId tensor;    ///< Either `tensor` or `weight` is set; neither for a statistic or a carried state.
  WeightId weight;
  bool gradient = false;                ///< True for the gradient of the tensor or weight.
  bool again = false;                   ///< True for a repeated gather in backward.
  std::int32_t terms = 1;               ///< Number of terms that are added before the collective.
  NodeId reader;                        ///< The node that needs the data; none: a neighboring segment or stage.
  std::vector<NodeId> readers, makers;  ///< Nodes that read the result, and nodes that produce the operands.
  std::vector<SegmentId> sharing;       ///< Segments that share a message of a weight's gradient or of a step; else empty.
  SegmentId segment;                    ///< Segment of the reader or, for an activation, of the tensor.
  DimList dims;                         ///< Dimensions of the data.
  double times = 1;                     ///< Elements per entry of dims, for statistics and carried states.
  Placement message;                    ///< Elements of the message on one rank: dims over these axes, taken before the collective; after it for an all-gather.
  /// Dimensions that lose and gain the axes, if any; for a halo exchange or a carried state both are the split dimension.
  DimId from = kElements, to = kElements;
  ExprPtr width;           ///< Bytes of an element; null: the width of activations or weights.
  double fixed_width = 0;  ///< Bytes of an element if not 0; statistics and carried states have 4.
  std::string extent;      ///< Margin of a halo exchange, as the text of a formula; else empty.
  ExprPtr margin;          ///< Entries per row of a halo exchange; `dims` then lacks the dimension itself.
  RuleId rule;             ///< The rule that placed the axis.
  RuleId weight_rule;      ///< The rule that places the weight; none for activations.
  bool stages = false;     ///< True among the stages of a tied weight, and between neighboring stages; `axes` are then the axes of the layers.
  MarkList marks;
};

/// The placements of a weight.
struct WeightPlacement {
  /// Placement for computing, between steps, between forward and backward, of its gradient, and of its optimizer
  /// states.
  Placement compute, stored, kept, gradient, optimizer;
  /// Compute placement of each use, in the weight's dimensions; empty if every use computes in `compute`.
  std::vector<Placement> uses;
  std::vector<RuleId> rules;  ///< Rules for weights that apply to this weight, in order.
  MarkList marks;

  /// Returns the compute placement of a use, by its position in `Weight::uses`.
  const Placement& of_use(std::size_t use) const { return uses.empty() ? compute : uses[use]; }
};

/// A division without remainder that each run checks: `size(dimension) % degree(axes) == 0`.
struct Divisibility {
  NodeId node;       ///< The node; none for an input or output of a segment.
  std::string name;  ///< Name of the node, input or output.
  DimId dimension;
  AxisList axes;
  RuleId rule;  ///< The rule that splits the dimension.
};

/// All annotations of one graph. Lists by node, tensor or weight are empty until their pass has run.
struct Annotations {
  Mesh mesh;                                        ///< The mesh of the run, with axes that the passes cut.
  AxisList layers;                                  ///< Axes that cut the layers into stages, outermost first.
  RuleId layer_rule;                                ///< The first rule that gives an axis to the layers.
  IdVector<RuleId, RuleRef> rules;                  ///< The rules whose conditions hold.
  IdVector<MarkId, Mark> marks;                     ///< All marks of the rules, also those without a match.
  IdVector<NodeId, NodePlacement> nodes;            ///< Placement of each node.
  IdVector<TensorId, Placement> inputs;             ///< Placement of a segment's input or output between segments; empty for other tensors.
  IdVector<NodeId, std::uint8_t> recomputed;        ///< True if backward runs the node again.
  IdVector<NodeId, std::uint8_t> dropped;           ///< True if a rule selects the node for recomputation, even if the node need not run again.
  IdVector<NodeId, NodeId> kernels;                 ///< The first node of the kernel to which the node belongs; usually the node itself.
  IdVector<NodeId, std::uint8_t> once;              ///< True if calls that continue a sequence have no new work for the node.
  IdVector<TensorId, std::uint8_t> inner;           ///< True if the tensor never leaves its kernel. Gradients then read the tensors from which it is computed.
  IdVector<TensorId, std::uint8_t> needs_gradient;  ///< True if backward computes the gradient of the tensor.
  IdVector<WeightId, std::uint8_t> trained;         ///< Untrained weights have no gradients and no optimizer states.
  std::vector<Transfer> transfers;                  ///< All messages of one layer of each segment, and of a step.
  std::vector<Saved> saved;                         ///< Tensors saved for backward or rebuilt in it, one entry for each copy.
  std::vector<CachedTensor> cached;                 ///< Tensors and states left for later calls.
  IdVector<WeightId, WeightPlacement> weights;      ///< Placements of each weight.
  std::vector<Divisibility> divisions;              ///< Divisions that each run checks, each once.
  std::vector<std::pair<DimId, AxisList>> padded;   ///< Dimensions that may be split unevenly; parts are rounded up.
  std::vector<std::string> log;                     ///< Summary of each pass, for `graph --explain`.

  /// Returns whether backward computes the gradient of a node's input or weight, by its port.
  bool has_gradient(const Node& node, std::string_view port) const;
};

}  // namespace opledger
