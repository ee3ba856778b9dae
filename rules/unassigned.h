#pragma once
#include "rules/derivation.h"

/// Repeated work. For every node, lists the axes that split no dimension of it, with the dimensions that could take the
/// axis. Dimensions to which an active rule assigns the axis are left out.
namespace opledger {

/// Fills NodePlacement::unassigned. Nodes must be placed.
void find_unassigned(Derivation& d);

}  // namespace opledger
