#pragma once
#include "graph/mesh.h"
#include "models/model.h"
#include "rules/rule_set.h"

namespace opledger {

/// The sources of an annotated graph. All pointers outlive it.
struct GraphSources {
  const Model* model = nullptr;
  const OperatorLibrary* operators = nullptr;
  const Mesh* mesh = nullptr;
  const RuleSet* rules = nullptr;
  std::size_t number = 0;  ///< Index in Program::models; formulas of the graph see the parameters of that model.
  bool silent = false;     ///< Suppresses warnings, for graphs that rules are not written for.
};

}  // namespace opledger
