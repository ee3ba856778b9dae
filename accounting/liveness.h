#pragma once
#include <cstdint>
#include <vector>

#include "graph/annotations.h"

/// Lifetimes of the tensors of one layer, on one rank, while one microbatch passes the layer forward and backward. The
/// result needs no sizes. Use: build a LivenessIndex once, then call `find_liveness` for each segment. A tensor's life
/// begins when its producer runs and ends after its last reader. Operands of a kernel are freed when the kernel is
/// done, not before. Tensors that stay inside a kernel never live. Time is counted in program points: three for each
/// kernel in each pass, from 0 in order of execution.
namespace opledger {

inline constexpr std::int32_t kPointsOfKernel = 3;  ///< Program points of a kernel in one pass: before, during, after.

/// A running kernel, the exchange before it (for its operands), or the exchange after it (for its results).
struct ProgramPoint {
  enum class At : std::uint8_t { before, during, after };  ///< Exchange before, kernel running, exchange after.
  Phase phase = Phase::forward;                            ///< One of forward, recompute, and agrad, which covers both halves of backward.
  NodeId kernel;                                           ///< The kernel's first node.
  At at = At::during;
};

/// The lifetime of a tensor, or of a copy of it in another placement.
struct LiveTensor {
  enum class Kind : std::uint8_t {
    saved,             ///< An entry of `Annotations::saved`, or, after the last entry, of `nodes_with_extra_memory`.
    recomputed,        ///< The same, produced by recomputation.
    produced,          ///< The producer's result, or a segment's input.
    reduced,           ///< The part of a produced tensor that the rank keeps after a reduction.
    received,          ///< A copy that a transfer brings.
    gradient,          ///< The result of the node that computes the gradient.
    reduced_gradient,  ///< The rank's part of a gradient after a reduction, or the gradient that the next layer sends.
    retained,          ///< The buffer of an all-to-all in forward, which callers may retain until the layer's forward is done.
    scratch,           ///< Extra memory of a kernel with marks, while it runs.
    weight_gradient,   ///< The gradient of one microbatch, before accumulation.
  };
  Kind kind = Kind::produced;
  TensorId tensor;  ///< Either `tensor` or `weight` is set; neither for scratch.
  WeightId weight;  ///< Set for the gradient of a weight.
  NodeId node;      ///< The producer; for a received or retained copy its first reader, for a gradient the node that computes it; none: a neighboring segment.
  /// Position in `saved` (saved, recomputed) or in `transfers` (received, retained, reduced, reduced_gradient with a
  /// node); else unused.
  std::int32_t source = -1;
  std::int32_t from = 0, to = 0;  ///< Program points, both included.

  /// Returns whether the producing kernel still runs at this point.
  bool begins_at(std::int32_t point) const { return point / kPointsOfKernel == from / kPointsOfKernel; }
  /// Returns whether the tensor is the gradient of an activation.
  bool is_gradient() const { return kind == Kind::gradient || kind == Kind::reduced_gradient; }
};

/// The program points of one layer in order of execution, and the tensors with their lifetimes in these points.
struct Liveness {
  std::vector<ProgramPoint> points;
  std::vector<LiveTensor> tensors;
  /// Points that suffice to find the peak: the tensors alive at any other point are a subset of the tensors at one of
  /// these points. Ascending.
  std::vector<std::int32_t> fullest;
};

/// Returns the nodes with marks whose first result needs a gradient; marks may add memory that the node keeps for
/// backward.
std::vector<NodeId> nodes_with_extra_memory(const Graph& graph, const Annotations& annotations);

/// Saved tensors and transfers by segment. The graph and its annotations must outlive the index.
struct LivenessIndex {
  LivenessIndex(const Graph& graph, const Annotations& annotations);

  const Graph& graph;
  const Annotations& notes;
  std::vector<NodeId> extra;  ///< Nodes returned by nodes_with_extra_memory.
  IdVector<SegmentId, std::vector<std::size_t>> saved,
      transfers;  ///< Positions in the annotations. Positions after the last entry of `Annotations::saved` refer to `extra`.
};

/// Computes program points and lifetimes of one layer of a segment.
Liveness find_liveness(const LivenessIndex& index, SegmentId segment);

}  // namespace opledger
