#pragma once
#include "rules/derivation.h"

/// What forward leaves for backward: for each gradient what it declares to read, where the node has it or, if a rule keeps shards, as its producer left it.
namespace opledger {

/// What one gradient of a node reads.
struct Read {
  NodeId node;
  bool input = false;  ///< The gradient is an input's, otherwise a weight's.
  TensorId tensor;
  Placement placement;  ///< In the names of the tensor.
};

/// In the order of nodes and of their operators' declarations. Gradients that nobody needs read nothing.
std::vector<Read> reads_of(const Derivation& d, NodeId node);

/// Decides what is recomputed in the segment. Fills Derivation::region (all that a rule names) and Annotations::recomputed (all that runs again).
void choose_region(Derivation& d, const Segment& segment);

/// Fills Derivation::kept and rebuilt, and Annotations::saved. One tensor once; a copy that slicing another gives is not kept.
void derive_saved(Derivation& d, const Segment& segment);

}  // namespace opledger
