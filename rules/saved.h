#pragma once
#include "rules/derivation.h"

/// Tensors that forward saves for backward. Each gradient declares its operands. An operand is saved as the node reads
/// it, or, if a rule keeps shards, as its producer left it.
namespace opledger {

/// An operand of a node's gradient.
struct Read {
  NodeId node;
  bool input = false;  ///< True for the gradient of an input, false for the gradient of a weight.
  TensorId tensor;
  Placement placement;  ///< Placement in the tensor's dimensions.
};

/// Returns the reads of a node's gradients in the order of the operator's declarations, without gradients that are not
/// needed.
std::vector<Read> reads_of(const Derivation& d, NodeId node);

/// Selects the nodes to recompute in the segment. Fills Derivation::region (all nodes that rules select) and
/// Annotations::recomputed (the nodes that run again).
void choose_region(Derivation& d, const Segment& segment);

/// Fills Derivation::saved and rebuilt, and Annotations::saved. Each tensor is saved once; a copy that slicing another
/// copy gives is not saved.
void derive_saved(Derivation& d, const Segment& segment);

}  // namespace opledger
