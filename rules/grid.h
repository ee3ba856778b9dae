#pragma once
#include <vector>

#include "graph/graph.h"
#include "graph/mesh.h"
#include "rules/rule_set.h"

/// What transitions need to know of mesh, rules and dimensions.
namespace opledger {

struct Grid {
  AxisList order;                 ///< The axes of the grid, outermost first.
  std::vector<int> position;      ///< By AxisId: place in `order`; -1: the axis is cut.
  std::vector<int> communicator;  ///< By AxisId: axes of one number move in one collective.
  std::vector<bool> unordered;    ///< By DimId.

  bool any_order(DimId d) const { return d == kElements || unordered[static_cast<std::size_t>(d)]; }
};

/// Axes share a communicator if the rules merge them, stand in one list of a rule, or are parts of one axis; the first that holds decides.
Grid make_grid(const Graph& graph, const Mesh& mesh, const RuleSet& rules);

}  // namespace opledger
