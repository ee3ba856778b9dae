#pragma once
#include <optional>
#include <vector>

#include "graph/annotations.h"
#include "rules/grid.h"

/// The one table of collectives. Per axis:
///   replicated -> sharded slice | partial -> sharded reduce-scatter | sharded on d -> on e all-to-all | partial -> replicated all-reduce | sharded -> replicated all-gather
/// done in this order: shrink first, grow last. A dimension gains axes in the order of the target, outermost first, and loses them innermost first. If neither
/// of its two axis lists is the beginning of the other, it is first gathered down to what both share, unless any order of it will do.
/// There is no way to partial: nothing ever becomes a sum that is still spread.
namespace opledger {

struct Step {
  Collective kind = Collective::slice;
  AxisList axes;                           ///< In the order of the grid.
  DimId from = kElements, to = kElements;  ///< What loses and what gains the axes, where something does.
  Placement before, after;                 ///< Partial left out.
  const Placement& message() const { return kind == Collective::all_gather ? after : before; }
};

std::vector<Step> transition(const Grid& grid, const Placement& from, const Placement& to);

/// Where a tensor must go first: as it is, with dimensions whose axes change order gathered down to what both lists begin with. Empty: there is no such dimension.
std::optional<Placement> detour(const Grid& grid, const Placement& from, const Placement& to);

/// Axes of dimensions whose order changes, behind what their two lists begin with.
AxisList out_of_order(const Grid& grid, const Placement& from, const Placement& to);

/// Whether slicing alone, or nothing at all, turns one into the other.
bool slices_to(const Grid& grid, const Placement& from, const Placement& to);

/// Of the placements at hand: the first that slicing turns into the target, else the first settled one, else the first (the producer's).
const Placement& best_source(const Grid& grid, const std::vector<Placement>& at_hand, const Placement& target);

}  // namespace opledger
