#pragma once
#include <optional>
#include <vector>

#include "graph/annotations.h"
#include "rules/grid.h"

/// The table of collectives between two placements. For each axis:
///   replicated -> sharded          slice
///   partial    -> sharded          reduce-scatter
///   sharded d  -> sharded e        all-to-all
///   partial    -> replicated       all-reduce
///   sharded    -> replicated       all-gather
/// Steps run in this order, so that tensors shrink first and grow last. A dimension gains axes in the order of the
/// target, outermost first, and loses them innermost first. If neither axis list of a dimension is a prefix of the
/// other, the dimension is first gathered to their common prefix. Dimensions whose entries may lie in any order need no
/// such gather. No transition leads to partial: nothing turns a complete tensor into a sum over ranks.
namespace opledger {

/// One collective of a transition, or a slice.
struct Step {
  Collective kind = Collective::slice;
  AxisList axes;                           ///< Axes in the order of the grid.
  DimId from = kElements, to = kElements;  ///< Dimensions that lose and gain the axes, if any.
  Placement before, after;                 ///< Placements without partial axes.
  /// Returns the placement of the contribution of one rank; for an all-gather, of the result.
  const Placement& message() const { return kind == Collective::all_gather ? after : before; }
};

/// Returns the steps from one placement to another; empty if the placements are equal.
std::vector<Step> transition(const Grid& grid, const Placement& from, const Placement& to);

/// Returns an intermediate placement that the transition must pass: `from`, with reordered dimensions gathered to the
/// common prefix of both axis lists. Empty if no dimension is reordered.
std::optional<Placement> detour(const Grid& grid, const Placement& from, const Placement& to);

/// Returns the axes after the common prefix of both axis lists, of every dimension for which a detour is necessary.
AxisList out_of_order(const Grid& grid, const Placement& from, const Placement& to);

/// Returns whether slices alone, or no steps, lead from one placement to the other. False if the placements are
/// partial over different axes.
bool slices_to(const Grid& grid, const Placement& from, const Placement& to);

/// Returns the best source for the target among `available`, which begins with the producer's placement and is not
/// empty. The first complete placement from which only slices lead to the target is best, else the first complete one,
/// else the producer's. Complete means partial over no axis.
const Placement& best_source(const Grid& grid, const std::vector<Placement>& available, const Placement& target);

}  // namespace opledger
