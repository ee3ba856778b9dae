#pragma once
#include "rules/derivation.h"

/// Derives the collectives of backward: the table of transitions applied to gradients. The gradient of a tensor is the
/// sum of the terms that its readers contribute.
namespace opledger {

/// Fills Annotations::needs_gradient: tensors that are computed from a trained weight, directly or through other
/// tensors and layers, and activations that enter the graph. Data and constant tensors have no gradient. Needs
/// Annotations::trained.
void find_gradients(Derivation& d);

/// Adds the transfers of recomputation, then of backward over the nodes of the segment in reverse order, to
/// Annotations::transfers. Fills NodePlacement::passed. Must run after derive_saved; gradients of weights follow in
/// derive_weights.
void derive_backward(Derivation& d, const Segment& segment);
/// Adds the transfers of one tensor in backward, which follow from the placements of its producer and its readers.
/// NodePlacement::passed must be set; returns whether the producer passes partial sums on over just these axes.
bool derive_backward(Derivation& d, const Segment& segment, TensorId t, const std::vector<NodeId>& readers);

}  // namespace opledger
