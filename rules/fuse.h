#pragma once
#include "rules/derivation.h"

/// Fusion: groups of nodes that run as one kernel.
namespace opledger {

/// Joins nodes that a rule of `fuse` matches, if no other node must run between them. A node joins the producer of an
/// input that it reads as produced, without a message; with `by: input`, an earlier node with the same operator and
/// first input. Must run after forward of the segment. Fills Annotations::kernels, and inner for tensors that only
/// their kernel reads.
void derive_kernels(Derivation& d, const Segment& segment);

}  // namespace opledger
