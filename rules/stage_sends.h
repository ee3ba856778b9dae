#pragma once
#include "rules/derivation.h"

/// Messages between pipeline stages, as far as they follow from the graph alone.
namespace opledger {

/// Adds to Annotations::transfers the sends between layers on different stages: inputs of segments forward, their
/// gradients backward. A tensor that a later segment reads also passes the stages of the repeated segments between.
/// Numbers of layers are unknown here, so a transfer stands for a possible send, and the accounting counts the sends.
/// Does nothing without axes of the layers.
void derive_stages(Derivation& d);

}  // namespace opledger
