#pragma once
#include <vector>

#include "rules/derivation.h"

/// Derives the collectives of forward. Each input of a node is delivered from an available copy, and the delivered copy
/// becomes available too.
namespace opledger {

/// Adds the transfers that `nodes`, in topological order, need in `phase`, forward or recompute. `copies` returns the
/// list of placements in which a tensor is available; the function reads and extends the lists. Inputs of the segment
/// with an empty list, except data, are placed as between segments. In forward, also chooses the input whose partial
/// sum a node passes on.
void derive_forward(Derivation& d, const Segment& segment, Phase phase, const std::vector<NodeId>& nodes, CopiesOf copies);

/// Adds the transfers that deliver one tensor to these readers, in their order. `copies` must have its first placement.
/// Partial terms of a sum are reduced separately, although `derive_forward` adds terms of equal placements first.
void deliver_tensor(Derivation& d, const Segment& segment, Phase phase, TensorId t, const std::vector<NodeId>& readers, CopiesOf copies);

/// Adds the transfers that deliver the segment's output in the placement that the next segment expects. Does nothing if
/// nothing reads the output.
void deliver_output(Derivation& d, const Segment& segment, CopiesOf copies);

/// Adds a node's own collectives over its split dimensions: statistics, margins, states. Recomputation repeats those of
/// forward.
void derive_inner(Derivation& d, NodeId node, Phase phase);

/// Returns whether the segment's output is read between segments: by another segment, by another layer of the segment,
/// or after the graph. An output without dimensions, such as a loss, counts only in the first two cases.
bool is_read_between_segments(const Derivation& d, const Segment& segment);

}  // namespace opledger
