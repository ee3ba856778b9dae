#pragma once
#include "rules/derivation.h"

/// What calls that go on with a sequence find of those before: a tensor whose reader names the sequence's dimension anew, for it reads other entries than its
/// own, and a state that an operator hands on. Nothing declares it.
namespace opledger {

/// Fills Annotations::once: nodes that depend on nothing that has the sequence's dimension, whatever the path.
void find_once(Derivation& d);

/// Fills Annotations::held. After the nodes are placed.
void derive_held(Derivation& d);

}  // namespace opledger
