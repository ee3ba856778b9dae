#pragma once
#include "graph/mesh.h"

/// What is known of divisions without knowing any size. An axis that was cut for a dimension has a part that fits it: gcd(what is left of the dimension after
/// the parts that fit before it, degree of the axis). All axes that a dimension may fill in part are cut for it at once, so the product of any such parts
/// divides it.
namespace opledger {

/// Whether the dimension, split over `have` already, can be split over `axis` too, whatever the sizes.
bool fits(const Mesh& mesh, DimId dimension, const AxisList& have, AxisId axis);

/// The axes that a coarse dimension takes of its fine one's, so that each rank holds the coarse units of its fine ones. Rests are passed over: wherever one has
/// more than one rank, what fits after it has one.
AxisList follow(const Mesh& mesh, DimId coarse, const AxisList& fine);

}  // namespace opledger
