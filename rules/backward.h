#pragma once
#include "rules/derivation.h"

/// Backward: the same table over the gradients, which are sums of what the readers of a tensor leave.
namespace opledger {

/// Which tensors have a gradient that something asks for.
void find_gradients(Derivation& d);

/// What is recomputed first, then nodes in reverse. Fills NodePlacement::passed.
void derive_backward(Derivation& d, const Segment& segment);

}  // namespace opledger
