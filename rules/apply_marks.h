#pragma once
#include "rules/derivation.h"

/// What rules say of something beyond the passes: names and values that formulas read. No meaning is known here.
namespace opledger {

/// Fills Annotations::marks, and the marks of transfers, saved tensors, weights and nodes: of two of one name the later rule's. After all transfers are known.
/// Warnings: a rule that finds nothing to mark.
void derive_marks(Derivation& d);

}  // namespace opledger
