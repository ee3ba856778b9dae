#pragma once
#include <string_view>
#include <vector>

#include "accounting/program.h"

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

void declare_engine_sets(Program& program);

/// Values that every node has by itself, whatever its operator: `volume`, `input_bytes`, …
struct NodeValueType {
  std::string_view name;
  FieldType type;
  std::string_view doc;
};
const std::vector<NodeValueType>& node_value_types();
const NodeValueType* node_value_type(std::string_view name);

}  // namespace opledger
