#pragma once
#include <limits>
#include <span>

#include "expr/scalar.h"

/// Interval arithmetic: bounds of a value over all inputs that a tape may receive. Bounds are conservative. They may be
/// wider than the actual values, never narrower.
namespace opledger {

/// An interval of values, both ends included.
struct ValueRange {
  double least = -std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::infinity();
  bool number = false;  ///< The value is never NaN. Comparisons are decided only between such values.

  /// Returns whether only one value is possible.
  bool single() const { return number && least == most; }
};

/// Returns the range of an operation's results for operands of these ranges.
ValueRange range_of(Op op, std::span<const ValueRange> operands);
/// Returns the range of a table's items; unbounded if the table is empty or has NaN.
ValueRange range_of(std::span<const double> table);

}  // namespace opledger
