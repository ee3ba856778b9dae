#pragma once
#include "formulas/engine.h"

/// The sets and node values that the engine itself provides to every program. docs/accounting.md describes each for writers of formulas.
namespace opledger {

/// Positions of the engine's sets in Program::sets.
inline constexpr SetId kPhaseSet(0), kCadenceSet(1), kCollectiveSet(2), kExtentSet(3), kAxisSet(4), kComponentSet(5), kSegmentSet(6), kNodeSet(7),
    kCommunicatorSet(8), kSideSet(9), kTransferSet(10), kMessageSet(11), kNeighbourSet(12), kSavedSet(13), kWeightSet(14), kStageSet(15), kShareSet(16),
    kCopySet(17), kHeldSet(18), kMemberSet(19), kStageMessageSet(20), kEngineSets(21);

/// Words of `extent`: what one rank holds, or the whole tensor.
inline constexpr WordId kRank = 0, kWhole = 1;

/// The sets, what a node has by itself, and the marks of a graph.
const Engine& graph_engine();

}  // namespace opledger
