#pragma once
#include "rules/derivation.h"

/// Derives the collectives of backward: the table of transitions applied to gradients. The gradient of a tensor is the
/// sum of the terms that its readers contribute.
namespace opledger {

/// Fills Annotations::needs_gradient: the tensors from which a path leads to a trained weight.
void find_gradients(Derivation& d);

/// Adds the transfers of recomputation, then of backward over the nodes in reverse order. Fills NodePlacement::passed.
void derive_backward(Derivation& d, const Segment& segment);

}  // namespace opledger
