#pragma once
#include "rules/derivation.h"

/// Checks of rules against the whole mesh and graph; checks at one node are in place.cc.
namespace opledger {

/// Reports axes that occur twice in one list of a rule, and axes of the layers that are used for anything else
/// (errors). Must run before placement.
void check_lists(Derivation& d);

/// Warns of rules that match nothing and of axes that shard nothing. Must run last.
void check_use(Derivation& d);

}  // namespace opledger
