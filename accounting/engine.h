#pragma once
#include "formulas/engine.h"

/// The sets and node values that the engine itself provides to every program. docs/accounting.md describes each for writers of formulas.
namespace opledger {

/// Positions of the engine's sets in Program::sets.
enum EngineSet : SetId {
  kPhaseSet,
  kCadenceSet,
  kCollectiveSet,
  kExtentSet,
  kAxisSet,
  kComponentSet,
  kSegmentSet,
  kKernelSet,
  kNodeSet,
  kCommunicatorSet,
  kSideSet,
  kTransferSet,
  kMessageSet,
  kNeighbourSet,
  kSavedSet,
  kWeightSet,
  kStageSet,
  kShareSet,
  kCopySet,
  kHeldSet,
  kMemberSet,
  kStageMessageSet,
  kEngineSets
};

/// Words of `extent`: what one rank holds, or the whole tensor.
inline constexpr WordId kRank = 0, kWhole = 1;

/// The sets, what a node has by itself, and the marks of a graph.
const Engine& graph_engine();

}  // namespace opledger
