#pragma once
#include "rules/derivation.h"

/// Marks: names and values that rules attach to parts of the graph, and that formulas read. Their meaning is unknown
/// here.
namespace opledger {

/// Fills Annotations::marks, and the marks of transfers, saved tensors, cached tensors, weights and nodes. The later of
/// two marks of equal name wins. Must run after all transfers and cached tensors are known. Warning: a rule that marks
/// nothing, unless it may be meant for other runs.
void derive_marks(Derivation& d);

}  // namespace opledger
