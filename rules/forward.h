#pragma once
#include <vector>

#include "rules/derivation.h"

/// Derives the collectives of forward. Each input of a node is delivered from an available copy, and the delivered copy
/// becomes available too.
namespace opledger {

/// Adds the transfers that `nodes` need in `phase`, forward or recompute. `copies` begins with the available
/// placements. Inputs of the segment without an entry are placed as between segments.
void derive_forward(Derivation& d, const Segment& segment, Phase phase, const std::vector<NodeId>& nodes, CopiesOf copies);

/// Delivers the segment's output in the placement that the next segment expects.
void deliver_output(Derivation& d, const Segment& segment, CopiesOf copies);

/// Adds a node's own collectives over its split dimensions: statistics, margins, states. Recomputation repeats those of
/// forward.
void derive_inner(Derivation& d, NodeId node, Phase phase);

/// Returns whether the segment's output is read between segments: by another segment, by another layer of the segment,
/// or after the graph. Nothing reads a loss.
bool is_read_between_segments(const Derivation& d, const Segment& segment);

}  // namespace opledger
