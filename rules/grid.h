#pragma once
#include <vector>

#include "graph/graph.h"
#include "graph/mesh.h"
#include "rules/rule_set.h"

/// Facts about mesh, rules and dimensions that transitions need.
namespace opledger {

/// Facts about axes and dimensions, shared by all transitions of a graph.
struct Grid {
  AxisList order;                      ///< Axes of the grid, outermost first.
  IdVector<AxisId, int> position;      ///< Position in `order`; -1 for an axis that was cut.
  IdVector<AxisId, int> communicator;  ///< Axes of equal number share a collective.
  /// Dimensions whose entries may lie on the ranks in any order.
  IdVector<DimId, bool> unordered;

  /// Returns whether the entries of a dimension may lie on the ranks in any order; true for elements of weights.
  bool any_order(DimId d) const { return d == kElements || unordered[d]; }
};

/// Returns the grid of a mesh after axes are cut, and assigns communicators. Axes share a communicator if the rules
/// merge them, if a rule lists them together, or if they are parts of one axis. The first such group of an axis
/// decides, in this order of precedence.
Grid make_grid(const Graph& graph, const Mesh& mesh, const RuleSet& rules);

}  // namespace opledger
