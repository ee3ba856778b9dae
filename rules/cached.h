#pragma once
#include "rules/derivation.h"

/// Derives the tensors that calls of one sequence cache for later calls. Three patterns imply a cache. A reader that
/// renames the sequence's dimension reads entries of earlier calls too. An operator can carry a state. Nodes that work
/// in every call can read results of nodes that work once. No declaration is needed.
namespace opledger {

/// Fills Annotations::once: nodes without a dependency, along any path, on a dimension of the sequence. Their work is
/// done once, and later calls have nothing new for them. Must run before derive_cached.
void find_once(Derivation& d);

/// Fills Annotations::cached, one entry for each tensor and placement, and each carried state. Must run after nodes are
/// placed and after find_once.
void derive_cached(Derivation& d);

}  // namespace opledger
