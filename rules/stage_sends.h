#pragma once
#include "rules/derivation.h"

namespace opledger {

/// Adds the sends between layers on different stages: inputs of segments forward, their gradients backward. Numbers of
/// layers are unknown here; the reader of the annotations counts the sends.
void derive_stages(Derivation& d);

}  // namespace opledger
