#pragma once
#include <vector>

#include "graph/graph.h"
#include "graph/mesh.h"
#include "rules/rule_set.h"

/// What transitions need to know of mesh, rules and dimensions.
namespace opledger {

struct Grid {
  AxisList order;                      ///< The axes of the grid, outermost first.
  IdVector<AxisId, int> position;      ///< Place in `order`; -1: the axis is cut.
  IdVector<AxisId, int> communicator;  ///< Axes of one number move in one collective.
  IdVector<DimId, bool> unordered;

  bool any_order(DimId d) const { return d == kElements || unordered[d]; }
};

/// Axes share a communicator if the rules merge them, stand in one list of a rule, or are parts of one axis; the first that holds decides.
Grid make_grid(const Graph& graph, const Mesh& mesh, const RuleSet& rules);

}  // namespace opledger
