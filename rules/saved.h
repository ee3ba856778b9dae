#pragma once
#include "rules/derivation.h"

/// Tensors that forward saves for backward. Each gradient declares its operands. An operand is saved in the placement
/// of the reader, or, if a rule keeps shards, in that of the producer. Operands that recomputation produces again are
/// not saved. For each segment, call `choose_region`, then `derive_saved`, before derive_backward.
namespace opledger {

/// An operand of a node's gradient.
struct Read {
  NodeId node;         ///< The node in whose placement the operand is read; of an inner tensor, a node before it in the kernel.
  bool input = false;  ///< True for the gradient of an input, false for the gradient of a weight.
  TensorId tensor;
  Placement placement;  ///< Placement in the tensor's dimensions.
};

/// Returns the reads of a node's gradients in the order of the operator's declarations, without gradients that are not
/// needed. A tensor inside a fused kernel is replaced by the inputs of the kernel from which it is computed.
std::vector<Read> reads_of(const Derivation& d, NodeId node);

/// Selects the nodes to recompute in the segment. Fills Derivation::region and Annotations::dropped (all nodes that
/// rules select), Derivation::dropped, and Annotations::recomputed (the nodes that run again). Does nothing in a
/// segment without gradients.
void choose_region(Derivation& d, const Segment& segment);

/// Fills Derivation::saved and rebuilt (placements of each tensor), and Annotations::saved. A tensor that is read in
/// several placements is saved in each; a copy that slicing another copy gives is not saved.
void derive_saved(Derivation& d, const Segment& segment);
/// Does the same for the tensors that `is_selected` selects. `nodes` are the nodes that produce or read them, in order.
void derive_saved(Derivation& d, const Segment& segment, const std::vector<NodeId>& nodes, FunctionRef<bool(TensorId)> is_selected);

}  // namespace opledger
