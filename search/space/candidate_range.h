#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "search/space/space.h"

namespace opledger {

/// A run of consecutive candidates of a space: the unit of merging results, of sharing work between processes, and of
/// continuing a stored search.
struct CandidateRange {
  std::uint64_t number = 0;                  ///< Position among the ranges of the space, from 0.
  AxisSet known = 0;                         ///< The leading axes, fixed to one value in this range.
  std::vector<double> values;                ///< One value per axis; arbitrary for axes outside `known`.
  std::size_t axis = 0;                      ///< The axis that `slice` cuts, the first axis that is not in `known`; meaningless without a slice.
  std::optional<std::vector<double>> slice;  ///< The values of `axis` in this range; empty: its whole domain.
  std::uint64_t candidates = 0;              ///< Number of candidates before constraints.
};

}  // namespace opledger
