#pragma once
#include <span>
#include <vector>

#include "expr/kernel.h"

/// Tapes hold for those candidates that agree with the one they were recorded for on its guards.
namespace opledger {

class Guards {
 public:
  Guards(const Tape& tape, std::span<const Tape::Guard> guards);

  std::size_t count() const { return values_.size(); }
  /// Whether a candidate agrees on all: a value for each input of the tape.
  bool hold(const std::vector<double>& inputs) const;
  /// The same of many: `inputs[i]` points at `count` values.
  std::vector<bool> hold(std::span<const double* const> inputs, std::size_t count) const;

 private:
  Kernel kernel_;
  std::vector<double> values_;
};

/// What is computed of candidates, if they agree on the guards.
struct GuardedProgram {
  GuardedProgram(const Tape& tape, std::span<const Scalar> outputs) : guards(tape, tape.guards()), kernel(tape, outputs) {}

  Guards guards;
  Kernel kernel;
};

}  // namespace opledger
