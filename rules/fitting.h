#pragma once
#include "graph/mesh.h"

/// What is known of divisions without knowing any size. An axis that was cut for a dimension has a part that fits it: gcd(what is left of the dimension after
/// what it is split over before, degree of the axis). All axes that rules give to a dimension are reckoned with at once, so the product of any such parts, and
/// of whole axes that divide it, divides it.
namespace opledger {

/// Whether the dimension, split over `have` already, can be split over `axis` too, whatever the sizes.
bool fits(const Mesh& mesh, DimId dimension, const AxisList& have, AxisId axis);

/// The axes that a coarse dimension takes of its fine one's, so that each rank holds the coarse units of its fine ones. Rests are passed over: wherever one has
/// more than one rank, what fits after it has one.
struct Followed {
  AxisList taken;
  AxisList blocking;  ///< Axes that, if they all have one rank, more could be taken behind.
};
Followed follow(const Mesh& mesh, DimId coarse, const AxisList& fine);

/// Those of the axes behind which, if they have more than one rank, a part that fits the dimension does not fit any more: rests, and what its cut did not reckon with.
AxisList not_fitting(const Mesh& mesh, DimId dimension, const AxisList& axes, AxisId behind);

}  // namespace opledger
