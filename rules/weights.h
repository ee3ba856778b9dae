#pragma once
#include "rules/derivation.h"

/// Where weights live beside their compute placement, and what that costs. What runs per microbatch and what once per step follows from which two placements a
/// transition joins:
///   forward    stored -> compute                    microbatch   one for each weight, segment and placement
///   backward   kept -> compute, where it is read    microbatch   one for recomputation and input gradients together
///   wgrad      sum over uses -> gradient            microbatch   axes left partial accumulate
///   optimizer  gradient -> optimizer -> stored      step
namespace opledger {

/// Fills Annotations::weights. Errors: an axis twice in one list of a weight rule.
void derive_weights(Derivation& d);

}  // namespace opledger
