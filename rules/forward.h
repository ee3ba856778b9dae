#pragma once
#include <vector>

#include "rules/derivation.h"

/// Forward over the nodes of a segment: what each input needs is brought from where it is at hand, and stays at hand.
namespace opledger {

/// `copies` begins with what is at hand already; segment inputs that are not in it lie where segments hand tensors on. `phase` is forward or recompute.
void derive_forward(Derivation& d, const Segment& segment, Phase phase, const std::vector<NodeId>& nodes, CopiesOf copies);

/// The segment's output, as the next segment finds it.
void bring_home(Derivation& d, const Segment& segment, CopiesOf copies);

/// Small reductions, margins and states that a split dimension costs the node itself. Recomputation pays what forward did.
void derive_inner(Derivation& d, NodeId node, Phase phase);

/// Whether anything between segments reads a segment's output: another segment, another layer of the same one, or what comes after the graph. Nothing reads a loss.
bool goes_home(const Derivation& d, const Segment& segment);

}  // namespace opledger
