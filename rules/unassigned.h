#pragma once
#include "rules/derivation.h"

/// Repeated work. Ranks along an axis that splits no dimension of a node do equal work. For every node, the pass lists
/// such axes, with the dimensions that could take the axis. Dimensions to which an active rule assigns the axis are
/// left out, since the rule has decided.
namespace opledger {

/// Fills NodePlacement::unassigned. Nodes must be placed.
void find_unassigned(Derivation& d);

}  // namespace opledger
