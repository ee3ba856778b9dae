#pragma once
#include "graph/mesh.h"
#include "models/model.h"
#include "rules/rule_set.h"

/// The inputs of graph construction (annotated_graph.h).
namespace opledger {

/// The sources from which `annotate_graph` builds a graph. All pointers are set and outlive the graph.
struct GraphSources {
  const Model* model = nullptr;                ///< Blocks and segments.
  const OperatorLibrary* operators = nullptr;  ///< Operators by name.
  const Mesh* mesh = nullptr;                  ///< Axes of ranks.
  const RuleSet* rules = nullptr;              ///< Rules that place tensors on the mesh.
  std::size_t number = 0;                      ///< Index in Program::models; formulas of the graph see the parameters of that model.
  bool silent = false;                         ///< Suppresses warnings, for graphs that rules are not written for.
};

}  // namespace opledger
