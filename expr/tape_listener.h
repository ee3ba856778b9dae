#pragma once
#include <cstdint>

#include "expr/scalar.h"

namespace opledger {

/// An observer of the assumptions behind a recording. The evaluator's cache uses it to store, for each cached value,
/// the guards and folded values that the value depends on.
class TapeListener {
 public:
  virtual ~TapeListener() = default;
  /// Called when an operand or a result was replaced by a constant because earlier guards determine its value.
  virtual void folded(std::int32_t symbol, double value) = 0;
  /// Called when a guard was requested for a symbol whose value earlier guards do not determine. `value` is the sample's
  /// value. The call comes even if bounds make the guard itself needless.
  virtual void guarded(const Scalar& condition, double value) = 0;
};

}  // namespace opledger
