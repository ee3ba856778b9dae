#pragma once
#include <cstdint>
#include <vector>

/// A table of feasible candidates, and the result of a candidate range.
namespace opledger {

struct CandidateRange;
struct Tally;

/// A row-major table: one row per feasible candidate, one column per axis and per listed metric.
struct CandidateRows {
  std::size_t axes = 0, metrics = 0;  ///< Numbers of columns.
  std::size_t count = 0;              ///< Number of rows.
  std::vector<double> values, costs;  ///< Axis values, and metrics; a metric without a value is not finite.
  std::vector<std::uint32_t> ranks;   ///< Position of each value in its domain, for every free axis; empty after `sort`.

  /// Returns the axis values of a row, `axes` numbers.
  const double* values_of(std::size_t row) const { return values.data() + row * axes; }
  /// Returns the metrics of a row, `metrics` numbers.
  const double* costs_of(std::size_t row) const { return costs.data() + row * metrics; }

  /// Appends the rows of a table with equal columns.
  void append(const CandidateRows& other);
  /// Sorts the rows by the order of the space, the lexicographic order of ranks, and drops the ranks.
  void sort();
};

/// The result of one candidate range.
struct RangeResult {
  const CandidateRange& range;
  const Tally& tally;         ///< Tally of the range.
  const Tally& total;         ///< Tally of the sweep up to and including the range.
  const CandidateRows& rows;  ///< Feasible candidates of the range, in the order of the space; empty unless candidates are listed.
};

}  // namespace opledger
