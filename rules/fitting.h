#pragma once
#include "graph/mesh.h"

/// Divisibility without sizes. An axis that was cut for a dimension has a fitting part, of degree gcd(remaining size of
/// the dimension, degree of the axis). The cut of a dimension considers every axis that rules give to it. So the
/// product of fitting parts, and of whole axes that divide the dimension, divides it too.
namespace opledger {

/// Returns whether the dimension, already split over `have`, can be split over `axis` for all sizes.
bool fits(const Mesh& mesh, DimId dimension, const AxisList& have, AxisId axis);

/// Splits a coarse dimension like its fine one: each rank holds the coarse units of its fine entries. Rests of cuts are
/// skipped: if a rest has several ranks, the following parts have a single rank.
struct Followed {
  AxisList taken;
  AxisList blocking;  ///< Axes that prevent further axes if they have several ranks.
};
Followed follow(const Mesh& mesh, DimId coarse, const AxisList& fine);

/// Returns the axes after which a fitting part of `behind` no longer fits if they have several ranks: rests of cuts,
/// and axes that the cut did not consider.
AxisList not_fitting(const Mesh& mesh, DimId dimension, const AxisList& axes, AxisId after);

}  // namespace opledger
