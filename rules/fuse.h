#pragma once
#include "rules/derivation.h"

/// Which nodes rules join to one kernel.
namespace opledger {

/// Nodes that a rule of `fuse` matches and that read each other's results as they are left, without a message in between, are one kernel, unless a node between them is not. After forward of the segment.
/// Fills Annotations::kernels and inner.
void derive_kernels(Derivation& d, const Segment& segment);

}  // namespace opledger
