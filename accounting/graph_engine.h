#pragma once
#include "formulas/engine.h"

/// The sets and node values that the engine itself provides to every program. docs/accounting.md describes each for writers of formulas.
namespace opledger {

/// Positions of the engine's sets in Program::sets.
inline constexpr SetId kPhaseSet(0), kCadenceSet(1), kCollectiveSet(2), kExtentSet(3), kAxisSet(4), kComponentSet(5), kSegmentSet(6), kKernelSet(7),
    kNodeSet(8), kCommunicatorSet(9), kSideSet(10), kTransferSet(11), kMessageSet(12), kNeighbourSet(13), kSavedSet(14), kWeightSet(15), kStageSet(16),
    kShareSet(17), kCopySet(18), kKeptOnceSet(19), kMemberSet(20), kStageMessageSet(21), kMomentSet(22), kAliveSet(23), kEndingSet(24), kReachSet(25),
    kShapeSet(26), kHeldSet(27), kRecalledSet(28), kStageSegmentSet(29), kEngineSets(30);

/// Words of `extent`: what one rank holds, or the whole tensor.
inline constexpr WordId kRank = 0, kWhole = 1;

/// The sets, what a node has by itself, and the marks of a graph.
const Engine& graph_engine();

}  // namespace opledger
