#pragma once
#include <functional>
#include <string>
#include <vector>

#include "formulas/link/types.h"
#include "search/space/space.h"
#include "search/sweep/candidate_rows.h"

/// The columns of candidates: names, types, units and texts of axes and metrics. A sweep stores plain doubles; columns
/// turn them into values for reports and files.
namespace opledger {

/// Returns a metric as a value in its unit; no value if the number is not finite.
Value metric_value(const Dimension& unit, double number);

/// The columns of a table of candidates: all axes of a space, then some metrics.
class CandidateColumns {
 public:
  /// `metrics`: published names of metrics. The program of `space` must outlive the columns.
  CandidateColumns(Space& space, std::vector<std::string> metrics);

  const std::vector<std::string>& axes() const { return axes_; }        ///< Every axis in the order of the space, including axes with one value.
  const std::vector<std::string>& metrics() const { return metrics_; }  ///< Names of the metric columns.
  const std::vector<std::string>& docs() const { return docs_; }        ///< Descriptions of the metrics.

  /// Returns the value in an axis column. `values`: one number for each entry of `Space::axes`.
  Value axis(std::size_t column, const double* values) const {
    return positions_[column] < 0 ? constants_[column] : input_value(*program_, inputs_[column]->type, values[positions_[column]]);
  }
  /// Returns the value in a metric column; no value if the number is not finite.
  Value metric(std::size_t column, double cost) const { return metric_value(units_[column], cost); }
  int position(std::size_t column) const { return positions_[column]; }  ///< Index in `Space::axes`; -1 for an axis with one value.
  /// Returns the unit of an axis, such as `byte`; `1` for a plain number; empty if the axis is not a number.
  std::string axis_unit(std::size_t column) const;
  /// Returns the unit of a metric; `1` for a plain number.
  std::string metric_unit(std::size_t column) const { return to_string(units_[column]); }

 private:
  const Program* program_;
  std::vector<std::string> axes_, metrics_, docs_;
  std::vector<int> positions_;       ///< Index in `Space::axes` for each axis column; -1 for an axis with one value.
  std::vector<const Name*> inputs_;  ///< Input of each axis column; null if the program has none.
  std::vector<Value> constants_;     ///< Value of each axis column with one value.
  std::vector<Dimension> units_;     ///< Unit of each metric column.
};

/// A writer of feasible candidates, as callbacks. Each returns false, with an error, if writing fails.
struct CandidateSink {
  std::function<bool(const CandidateColumns&, Diagnostics&)> begin;  ///< Starts the output with its columns.
  std::function<bool(const RangeResult&, Diagnostics&)> write;       ///< Writes the rows of one candidate range, in the order of the space.
  std::function<bool(bool complete, Diagnostics&)> end;              ///< Ends the output; `complete` is false after an interrupted sweep.
};

}  // namespace opledger
