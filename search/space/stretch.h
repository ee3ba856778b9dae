#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "search/space/space.h"

namespace opledger {

/// A stretch of a space: consecutive candidates in its order.
struct Stretch {
  std::uint64_t number = 0;  ///< In the order of the space, from 0.
  AxisSet known = 0;         ///< The first axes, which have one value here.
  std::vector<double> values;
  std::size_t axis = 0;                      ///< The first other axis,
  std::optional<std::vector<double>> slice;  ///< and those of its values that it has here; empty: all of them.
  std::uint64_t candidates = 0;
};

}  // namespace opledger
