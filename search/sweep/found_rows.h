#pragma once
#include <cstdint>
#include <vector>

/// Feasible candidates as they are found, for whoever writes them down.
namespace opledger {

struct Stretch;
struct Tally;

struct FoundRows {
  std::size_t axes = 0, metrics = 0;  ///< Numbers of columns.
  std::size_t count = 0;
  std::vector<double> values, costs;  ///< Row by row: by axis; by metric, not finite: it has no value.
  std::vector<std::uint32_t> ranks;   ///< Row by row, by axis that is not derived: until they are sorted.

  const double* values_of(std::size_t row) const { return values.data() + row * axes; }
  const double* costs_of(std::size_t row) const { return costs.data() + row * metrics; }

  void append(const FoundRows& other);
  /// In the order of the space.
  void sort();
};

/// What was found in a stretch.
struct StretchFound {
  const Stretch& stretch;
  const Tally& some;      ///< In it.
  const Tally& all;       ///< In it and all before.
  const FoundRows& rows;  ///< All that is feasible in it, in the order of the space.
};

}  // namespace opledger
