#pragma once
#include "rules/derivation.h"

/// Placement of nodes: which axes of the mesh split which dimensions of a node. Every node is placed once, by its own
/// dimensions and the rules, never by its neighbors; differences between neighbors become collectives. An operator may
/// declare that it is placed like one of its operands, which is the exception. Call `cut_axes`, then `place`.
namespace opledger {

/// The dimension that stands for the model's layers in rules; its axes form the pipeline's stages.
inline constexpr const char* kLayerDimension = "layer";

/// Cuts axes into parts before placement: axes that a rule lets a dimension fill partly, and axes that a coarse
/// dimension may share with its fine one.
void cut_axes(Derivation& d);

/// Fills Annotations::nodes, inputs, layers, divisions and padded. Errors: a rule with two dimensions that one node
/// splits; a rule that passes partial sums through an input in which the operator is not linear.
void place(Derivation& d);

/// Returns the placement of one node or boundary by the rules of `d`: Derivation::node_rules for a node, all rules of
/// `nodes` for a boundary.
NodePlacement place(Derivation& d, Endpoint endpoint);

}  // namespace opledger
