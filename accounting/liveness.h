#pragma once
#include <cstdint>
#include <vector>

#include "graph/annotations.h"

/// Which tensors of a layer are alive when, on one rank, while a microbatch passes it forward and backward. Known without sizes: a tensor begins when its maker runs and ends
/// after its last reader; what a kernel reads is freed when the kernel is done, not before. What stays inside a kernel is none.
namespace opledger {

inline constexpr std::int32_t kMomentsOfKernel = 3;

/// A kernel at work, or the exchange before it (what it reads is brought) or behind it (what it made is summed).
struct Moment {
  enum class At : std::uint8_t { before, during, behind };
  Phase phase = Phase::forward;  ///< forward, recompute or agrad, which stands for both halves of backward.
  NodeId kernel;                 ///< Its first node.
  At at = At::during;
};

/// A tensor while it is alive, or a copy of it in another placement.
struct Living {
  enum class What : std::uint8_t {
    kept,      ///< For backward: of `Annotations::saved`, and behind those of `kept_beside`.
    rebuilt,   ///< Of the same, what recomputation makes again.
    made,      ///< As its maker leaves it; or a segment's input.
    settled,   ///< What is left of that on this rank when it is summed.
    arrived,   ///< As a transfer brings it.
    gradient,  ///< As the node that computes it leaves it.
    settled_gradient,
    held,             ///< What an exchange sends and brings, for as long as forward is in the layer: callers may hold it.
    scratch,          ///< What a kernel with marks may need beside all that while it runs.
    weight_gradient,  ///< As it is computed, before it is added to those of other microbatches.
  };
  What what = What::made;
  TensorId tensor;  ///< One of tensor and weight.
  WeightId weight;
  NodeId node;                    ///< That makes it; none: the segment before, or behind, does.
  std::int32_t source = -1;       ///< kept, rebuilt: of `saved`; settled…, arrived: of `transfers`.
  std::int32_t from = 0, to = 0;  ///< Moments, both included.

  /// Whether the kernel that makes it is still at work then.
  bool begins_at(std::int32_t moment) const { return moment / kMomentsOfKernel == from / kMomentsOfKernel; }
  bool is_gradient() const { return what == What::gradient || what == What::settled_gradient; }
};

struct Liveness {
  std::vector<Moment> moments;
  std::vector<Living> living;
  /// Moments at which something is alive that no other moment has together: those between them never have more. In order.
  std::vector<std::int32_t> fullest;
};

/// Nodes with marks that have gradients: these may keep something beside what the gradients read.
std::vector<NodeId> kept_beside(const Graph& graph, const Annotations& annotations);

/// What belongs to each segment of an annotated graph. The graph and its annotations must outlive it.
struct LivenessIndex {
  LivenessIndex(const Graph& graph, const Annotations& annotations);

  const Graph& graph;
  const Annotations& notes;
  std::vector<NodeId> beside;                                      ///< See kept_beside.
  IdVector<SegmentId, std::vector<std::size_t>> saved, transfers;  ///< Positions in the annotations; behind those of `saved` those of `beside`.
};

Liveness find_liveness(const LivenessIndex& index, SegmentId segment);

}  // namespace opledger
