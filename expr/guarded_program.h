#pragma once
#include <span>
#include <vector>

#include "expr/kernel.h"

/// Programs that are valid under guards. A recorded tape is valid for candidates whose guard conditions have the
/// sample's values, as in a tracing compiler.
namespace opledger {

/// The guard conditions of a tape, compiled into one kernel, with the value that each must have.
class Guards {
 public:
  /// Compiles the conditions of `guards`, which belong to `tape`. Neither is needed afterwards.
  Guards(const Tape& tape, std::span<const Tape::Guard> guards);

  std::size_t count() const { return values_.size(); }  ///< Returns the number of guards.
  /// Returns whether a candidate satisfies every guard. `inputs` has a value for each input of the tape.
  bool hold(const std::vector<double>& inputs) const;
  /// Returns for each of `count` candidates whether it satisfies every guard; `inputs[i]` points to `count` values.
  std::vector<bool> hold(std::span<const double* const> inputs, std::size_t count) const;

 private:
  Kernel kernel_;               ///< Computes the conditions.
  std::vector<double> values_;  ///< Values that the conditions must have.
};

/// Outputs for candidates, and the guards that a candidate must satisfy before they are valid.
struct GuardedProgram {
  GuardedProgram(const Tape& tape, std::span<const Scalar> outputs) : guards(tape, tape.guards()), kernel(tape, outputs) {}

  Guards guards;
  Kernel kernel;
};

}  // namespace opledger
