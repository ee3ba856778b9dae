#pragma once
#include <cstdint>
#include <string>
#include <vector>

/// Ordered sets of named dimensions, with the small algebra that signatures are written in.
namespace opledger {

using DimId = std::int32_t;
using AxisId = std::int32_t;

using DimList = std::vector<DimId>;

bool contains(const DimList& a, DimId d);
DimList join(const DimList& a, const DimList& b);        ///< a + b: all of both, a's first.
DimList without(const DimList& a, const DimList& b);     ///< a - b
DimList difference(const DimList& a, const DimList& b);  ///< a ^ b: those that only one has.
bool same_set(const DimList& a, const DimList& b);

}  // namespace opledger
