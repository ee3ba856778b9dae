#pragma once
#include "rules/derivation.h"

/// Checks of rules against the whole mesh and graph; checks at one node are in place.cc.
namespace opledger {

/// Reports axes that occur twice in one list of a rule, and axes of the layers that are used for anything else
/// (errors). The ranks along an axis of the layers work on different layers, so they can't split a dimension of one
/// layer. Must run before placement.
void check_lists(Derivation& d);

/// Warns of rules of `nodes`, `weights`, `activations`, `recompute` and `fuse` that match nothing, and of axes that
/// shard nothing. Must run last, when all placements are known.
void check_use(Derivation& d);

}  // namespace opledger
