#pragma once
#include "rules/derivation.h"

/// Placements of a weight's states, and the collectives between them. The two placements that a transition joins decide
/// whether it runs once per microbatch or once per step:
///   forward    stored -> compute                    microbatch   one per weight, segment and placement
///   backward   kept -> compute, if read             microbatch   one for recomputation and input gradients together
///   wgrad      sum over uses -> gradient            microbatch   axes left partial accumulate
///   optimizer  gradient -> optimizer -> stored      step
/// A weight that is not trained is only gathered. Call find_trained before backward is derived, derive_weights after.
namespace opledger {

/// Returns whether a rule applies to a weight: its name matches, and a node that uses it matches.
bool applies_to(const WeightRule& rule, const Graph& graph, WeightId weight);

/// Fills Annotations::trained: every weight, unless a rule excludes it.
void find_trained(Derivation& d);

/// Fills Annotations::weights, and adds the transfers of weights and their gradients to Annotations::transfers. Must
/// run after derive_backward of all segments: recomputed nodes gather weights again, and sums that nodes pass on
/// (NodePlacement::passed) reach the gradients.
void derive_weights(Derivation& d);

}  // namespace opledger
