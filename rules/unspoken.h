#pragma once
#include "rules/derivation.h"

/// Work that ranks repeat: for every node the axes that split none of its dimensions, each with the dimensions that could take it and that no rule in force
/// gives it.
namespace opledger {

/// Fills NodePlacement::unspoken. Nodes must be placed.
void find_unspoken(Derivation& d);

}  // namespace opledger
