#pragma once
#include "graph/mesh.h"
#include "models/model.h"
#include "rules/rule_set.h"

namespace opledger {

/// What an annotated graph is made from.
struct GraphSources {
  const Model* model = nullptr;
  const OperatorLibrary* operators = nullptr;
  const Mesh* mesh = nullptr;
  const RuleSet* rules = nullptr;
  std::size_t number = 0;  ///< Of the model, in Program::models: whose parameters formulas of the graph see.
  bool silent = false;     ///< Only errors are told: the graph is not meant to be split.
};

}  // namespace opledger
