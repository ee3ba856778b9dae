#pragma once
#include <functional>
#include <string>
#include <vector>

#include "formulas/link/types.h"
#include "search/space/space.h"
#include "search/sweep/found_rows.h"

/// What the numbers of candidates mean: names, kinds, units and texts of axes and metrics.
namespace opledger {

/// A metric's value; what is not finite is none.
Value metric_value(const Dimension& unit, double number);

class CandidateColumns {
 public:
  CandidateColumns(Space& space, std::vector<std::string> metrics);

  const std::vector<std::string>& axes() const { return axes_; }  ///< All of them, in the order of the space, those of a single value too.
  const std::vector<std::string>& metrics() const { return metrics_; }
  const std::vector<std::string>& docs() const { return docs_; }  ///< Of the metrics.

  /// `values`: by axis that has several.
  Value axis(std::size_t column, const double* values) const {
    return positions_[column] < 0 ? constants_[column] : input_value(*program_, inputs_[column]->type, values[positions_[column]]);
  }
  Value metric(std::size_t column, double cost) const { return metric_value(units_[column], cost); }
  int position(std::size_t column) const { return positions_[column]; }  ///< Of an axis among those that have several values; -1: it has one.
  /// `byte`, `1`; empty: no number.
  std::string axis_unit(std::size_t column) const;
  std::string metric_unit(std::size_t column) const { return to_string(units_[column]); }

 private:
  const Program* program_;
  std::vector<std::string> axes_, metrics_, docs_;
  std::vector<int> positions_;       ///< Among the axes that have several values; -1: it has one.
  std::vector<const Name*> inputs_;  ///< By column.
  std::vector<Value> constants_;     ///< By column.
  std::vector<Dimension> units_;     ///< By metric.
};

/// Who writes all feasible candidates down. Every function gives false, with an error, if that can't be done.
struct CandidateSink {
  std::function<bool(const CandidateColumns&, Diagnostics&)> begin;
  std::function<bool(const StretchFound&, Diagnostics&)> write;  ///< Some more, in the order of the space.
  std::function<bool(bool complete, Diagnostics&)> end;
};

}  // namespace opledger
