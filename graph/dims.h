#pragma once
#include <vector>

#include "base/id.h"
#include "base/lists.h"

/// Ordered sets of named dimensions, with the small algebra that signatures are written in.
namespace opledger {

struct Axis;
struct DimensionInfo;
using AxisId = Id<Axis>;
using DimId = Id<DimensionInfo>;

using DimList = std::vector<DimId>;

DimList join(const DimList& a, const DimList& b);        ///< a + b: all of both, a's first.
DimList without(const DimList& a, const DimList& b);     ///< a - b
DimList difference(const DimList& a, const DimList& b);  ///< a ^ b: those that only one has.
bool same_set(const DimList& a, const DimList& b);

}  // namespace opledger
