#pragma once
#include "rules/derivation.h"

/// Where nodes compute: every node is placed once, by its own dimensions and the rules, never by its neighbours.
namespace opledger {

/// The dimension name that rules use for the layers of the model; its axes make the pipeline's stages.
inline constexpr const char* kLayerDimension = "layer";

/// Cuts, before anything is placed, every axis that some rule may let a dimension fill only in part, and that a coarse dimension may share with a fine one.
void cut_axes(Derivation& d);

/// Fills Annotations::nodes, inputs, layers, divisions and padded. Errors: a rule with two dimensions that one node splits.
void place(Derivation& d);

}  // namespace opledger
