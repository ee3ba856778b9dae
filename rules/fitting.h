#pragma once
#include "graph/mesh.h"

/// Divisibility without sizes. An axis that was cut for a dimension has a fitting part, of degree gcd(remaining size
/// of the dimension, degree of the axis). The cut of a dimension considers every axis that rules give to it. So the
/// product of fitting parts, and of whole axes that divide the dimension, divides it too. The other part of a cut is
/// its rest, which need not divide the dimension.
namespace opledger {

/// Returns whether the dimension, already split over `have`, can be split evenly over `axis` too, for all sizes:
/// `axis` is a fitting part of a cut for this dimension, and nothing in `have` prevents it. False for an axis that was
/// not cut.
bool fits(const Mesh& mesh, DimId dimension, const AxisList& have, AxisId axis);

/// The axes of a coarse dimension that follows a fine one.
struct Followed {
  AxisList taken;     ///< Axes of the fine dimension that also split the coarse one, outermost first.
  AxisList blocking;  ///< Axes that prevent further axes if they have several ranks; callers query these.
};
/// Splits a coarse dimension like its fine one, whose axes are `fine`: each rank has the coarse units of its fine
/// entries, as with heads of keys and heads of queries. Rests of cuts are skipped: if a rest has several ranks, the
/// following parts have a single rank.
Followed follow(const Mesh& mesh, DimId coarse, const AxisList& fine);

/// Returns the elements of `axes` after which `after` no longer fits the dimension if they have several ranks: rests
/// of cuts, and axes that the cut did not consider. `after` must be a part of a cut for this dimension.
AxisList not_fitting(const Mesh& mesh, DimId dimension, const AxisList& axes, AxisId after);

}  // namespace opledger
