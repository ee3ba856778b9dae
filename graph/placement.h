#pragma once
#include <string>
#include <utility>
#include <vector>

#include "graph/dims.h"

/// The distribution of a tensor over the mesh. Each axis is replicated (not mentioned), sharded on a dimension, or
/// partial (each rank has a summand).
namespace opledger {

using AxisList = std::vector<AxisId>;  ///< Axes of the mesh.

/// A pseudo-dimension for weights, gradients and optimizer states that are spread by elements, in any order.
inline constexpr DimId kElements{};

/// The distribution of the elements of one tensor. Equal placements have equal fields.
struct Placement {
  std::vector<std::pair<DimId, AxisList>> shard;  ///< Sorted by dimension; axes outermost first; no empty lists.
  AxisList partial;                               ///< Sorted axes.

  friend bool operator==(const Placement&, const Placement&) = default;

  const AxisList* axes(DimId d) const;  ///< Returns null if the dimension is not sharded.
  bool mentions(AxisId a) const;        ///< Returns whether the axis is sharded or partial here.
  Placement reduced() const;            ///< Returns the placement after a reduction: partial axes become replicated.
  /// Returns the placement of these dimensions alone: axes of other dimensions become replicated, partial axes stay.
  Placement only(const DimList& dims) const;
  /// Returns the placement with dimensions renamed, by pairs of (old, new).
  Placement renamed(const std::vector<std::pair<DimId, DimId>>& renames) const;
  /// Shards a dimension over these axes, in place of its former axes; an empty list makes it replicated.
  void set(DimId d, AxisList axes);
};

}  // namespace opledger
