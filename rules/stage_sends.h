#pragma once
#include "rules/derivation.h"

namespace opledger {

/// What layers on different stages send each other: a segment's inputs as they lie between segments, forward, and their gradients back. How often is for
/// whoever knows how many layers there are.
void derive_stages(Derivation& d);

}  // namespace opledger
