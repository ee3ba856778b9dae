#pragma once
#include "rules/derivation.h"

/// Mistakes in rules that no single node shows.
namespace opledger {

/// Errors: an axis twice in one list of a rule, an axis of the layers for anything else. Before anything is placed.
void check_lists(Derivation& d);

/// Warnings: a rule that matches nothing, an axis that shards nothing. After everything.
void check_use(Derivation& d);

}  // namespace opledger
