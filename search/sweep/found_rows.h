#pragma once
#include <cstdint>
#include <vector>

/// Feasible candidates in the order of evaluation, and the result of a stretch.
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

/// The result of one stretch.
struct StretchFound {
  const Stretch& stretch;
  const Tally& some;      ///< The tally of the stretch.
  const Tally& all;       ///< The tally of the stretch and all earlier ones.
  const FoundRows& rows;  ///< The feasible candidates of the stretch, in the order of the space.
};

}  // namespace opledger
