#pragma once
#include "rules/derivation.h"

/// Where weights live beside their compute placement, and what that costs. What runs per microbatch and what once per step follows from which two placements a
/// transition joins:
///   forward    stored -> compute                    microbatch   one for each weight, segment and placement
///   backward   kept -> compute, where it is read    microbatch   one for recomputation and input gradients together
///   wgrad      sum over uses -> gradient            microbatch   axes left partial accumulate
///   optimizer  gradient -> optimizer -> stored      step
/// A weight that is not trained is gathered, and that is all.
namespace opledger {

/// Whether a rule speaks of a weight: a node that uses it matches, and its name does.
bool speaks_of(const WeightRule& rule, const Graph& graph, WeightId weight);

/// Which weights are trained: all but those that rules say are not.
void find_trained(Derivation& d);

/// Fills Annotations::weights. Errors: an axis twice in one list of a weight rule.
void derive_weights(Derivation& d);

}  // namespace opledger
