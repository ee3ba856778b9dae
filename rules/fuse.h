#pragma once
#include "rules/derivation.h"

/// Fusion: groups of nodes that run as one kernel.
namespace opledger {

/// Joins nodes that a rule of `fuse` matches, if they read each other's results as produced, without a message, and no
/// other node must run between them. Must run after forward of the segment. Fills Annotations::kernels and inner.
void derive_kernels(Derivation& d, const Segment& segment);

}  // namespace opledger
