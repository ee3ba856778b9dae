#pragma once
#include <cstdint>

#include "expr/scalar.h"

namespace opledger {

/// Hears on what a recording on a tape depends.
class TapeListener {
 public:
  virtual ~TapeListener() = default;
  /// An instruction was folded, since guards decided its value.
  virtual void folded(std::int32_t symbol, double value) = 0;
  /// A guard was asked for, and this is what it took.
  virtual void guarded(const Scalar& condition, double value) = 0;
};

}  // namespace opledger
