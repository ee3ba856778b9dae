#pragma once
#include "rules/derivation.h"

/// Placement of nodes. Every node is placed once, by its own dimensions and the rules, never by its neighbors.
namespace opledger {

/// The dimension that stands for the model's layers in rules; its axes form the pipeline's stages.
inline constexpr const char* kLayerDimension = "layer";

/// Cuts axes into parts before placement: axes that a rule lets a dimension fill partly, and axes that a coarse
/// dimension may share with its fine one.
void cut_axes(Derivation& d);

/// Fills Annotations::nodes, inputs, layers, divisions and padded. Error: a rule with two dimensions that one node
/// splits.
void place(Derivation& d);

}  // namespace opledger
