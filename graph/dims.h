#pragma once
#include <vector>

#include "base/id.h"
#include "base/lists.h"

/// Ordered sets of named dimensions, and the operations that signatures use. A dimension is a named extent of tensors,
/// such as `seq`; its number is a position in Graph::dimensions.
namespace opledger {

struct Axis;
struct DimensionInfo;
using AxisId = Id<Axis>;
using DimId = Id<DimensionInfo>;

using DimList = std::vector<DimId>;  ///< Dimensions in order, each once.

DimList join(const DimList& a, const DimList& b);        ///< a + b: the union, with a's dimensions first.
DimList without(const DimList& a, const DimList& b);     ///< a - b: the dimensions of a that b lacks.
DimList difference(const DimList& a, const DimList& b);  ///< a ^ b: the symmetric difference.
bool same_set(const DimList& a, const DimList& b);       ///< Returns whether both have the same dimensions, in any order.

}  // namespace opledger
