#pragma once
#include <string>
#include <utility>
#include <vector>

#include "graph/dims.h"

/// Where a tensor lies on the mesh: per axis replicated (not mentioned), sharded on a dimension, or partial (a sum that is still spread).
namespace opledger {

using AxisList = std::vector<AxisId>;

/// The pseudo-dimension over which stored weights, gradients and optimizer states are spread: flat elements, in any order.
inline constexpr DimId kElements{};

struct Placement {
  std::vector<std::pair<DimId, AxisList>> shard;  ///< Sorted by dimension; axes outermost first; no empty lists.
  AxisList partial;                               ///< Sorted.

  friend bool operator==(const Placement&, const Placement&) = default;

  const AxisList* axes(DimId d) const;  ///< Null: not sharded.
  bool mentions(AxisId a) const;
  Placement settled() const;  ///< Partial resolved to replicated.
  Placement only(const DimList& dims) const;
  Placement renamed(const std::vector<std::pair<DimId, DimId>>& renames) const;
  void set(DimId d, AxisList axes);
};

}  // namespace opledger
