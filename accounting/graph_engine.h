#pragma once
#include "formulas/engine.h"

/// The sets and node values that the engine provides to every program. A program is linked with `graph_engine`;
/// `fill_sets` (graph_elements.h) fills the sets of an evaluator by these numbers. docs/accounting.md describes each
/// set for authors of formulas.
namespace opledger {

/// Positions of the engine's sets in Program::sets; kEngineSets is their number. Names of sets in formulas are given in
/// graph_engine.cc.
inline constexpr SetId kPhaseSet(0), kCadenceSet(1), kCollectiveSet(2), kExtentSet(3), kAxisSet(4), kComponentSet(5), kSegmentSet(6), kKernelSet(7),
    kNodeSet(8), kCommunicatorSet(9), kCommunicatorAxisSet(10), kTransferSet(11), kMessageSet(12), kMessageNodeSet(13), kSavedSet(14), kWeightSet(15),
    kStageSet(16), kStageLayersSet(17), kStageWeightsSet(18), kSavedOnceSet(19), kCommunicatorStagesSet(20), kStageMessageSet(21), kProgramPointSet(22),
    kLiveTensorSet(23), kChunkEndSet(24), kFollowingLayersSet(25), kMatrixShapeSet(26), kCachedSet(27), kCacheReadsSet(28), kStageSegmentSet(29),
    kEngineSets(30);

/// Words of the set `extent`: elements on one rank, or of the whole tensor.
inline constexpr WordId kRank = 0, kWhole = 1;

/// Returns the declarations of all sets, of the values that nodes derive, and of the `marks:` section. The result lives
/// as long as the process.
const Engine& graph_engine();

}  // namespace opledger
