#pragma once
#include <vector>

#include "run/trace.h"
#include "search/space/space.h"

/// The axes of a space as inputs of the tapes on which candidates are traced.
namespace opledger {

/// The axes that are not derived. Input i of the tape of a traced candidate is free axis `axes[i]`.
struct FreeAxes {
  explicit FreeAxes(const Space& space);
  /// Returns the values of the free axes, by input. `values`: by axis.
  std::vector<double> of(const std::vector<double>& values) const;

  /// Values of many candidates, one column for each input, as a kernel reads them.
  struct Columns {
    std::vector<std::vector<double>> values;  ///< Values by input, then candidate.
    std::vector<const double*> pointers;      ///< First element of each column.
  };
  /// Transposes `candidates` (by axis each) into columns.
  Columns columns(const std::vector<std::vector<double>>& candidates) const;

  /// Returns the axis of each input as a set.
  std::vector<AxisSet> sets() const;

  std::vector<std::size_t> axes;  ///< The axis of each input.
  std::vector<int> input_of;      ///< The input of each axis; -1 for a derived axis.
};

/// Returns the query that every candidate answers: free axes are inputs, derived axes are formulas, and the conditions
/// `Space::where` are included. The caller adds metrics.
Query query_of(const Space& space);

/// Returns the axes on which each instruction of the tape depends. `inputs`: the axes of each tape input.
std::vector<AxisSet> dependence(const Tape& tape, const std::vector<AxisSet>& inputs);

}  // namespace opledger
