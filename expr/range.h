#pragma once
#include <limits>
#include <span>

#include "expr/scalar.h"

/// Between which numbers a value lies, whatever the inputs are of all that they can be. Never too narrow, often wider than what there is.
namespace opledger {

struct ValueRange {
  double least = -std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::infinity();
  bool number = false;  ///< It is always a number: nothing is compared otherwise.

  bool single() const { return number && least == most; }
};

/// Of an operation on values of these ranges.
ValueRange range_of(Op op, std::span<const ValueRange> operands);
/// Of any item of a table.
ValueRange range_of(std::span<const double> table);

}  // namespace opledger
