#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "expr/kernel_code.h"
#include "expr/tape.h"

/// A tape compiled for running: only what the outputs need, registers assigned by linear scan, every instruction a loop over a block of candidates
/// (structure of arrays), so that the compiler vectorises it. One candidate is a block of one.
namespace opledger {

class Kernel {
 public:
  static constexpr std::size_t kLanes = 64;  ///< Registers of one block stay in the L1 cache.

  /// `outputs` may be constants. The tape may be dropped afterwards.
  Kernel(const Tape& tape, std::span<const Scalar> outputs);

  std::size_t inputs() const { return inputs_; }
  std::size_t outputs() const { return outputs_; }
  std::size_t instructions() const { return instructions_; }  ///< Operations, look-ups and curves: what has to be computed.
  std::size_t registers() const { return registers_; }

  /// `inputs[i]` and `outputs[o]` point at `count` values each; any count.
  void run(std::span<const double* const> inputs, std::span<double* const> outputs, std::size_t count) const;
  /// One candidate: a value for each input gives one for each output.
  std::vector<double> run(const std::vector<double>& inputs) const;

 private:
  std::vector<KernelCode> code_;
  std::vector<double> constants_;
  std::vector<std::pair<std::size_t, double>> constant_outputs_;
  std::vector<std::vector<double>> tables_;
  std::vector<Curve> curves_;
  std::size_t inputs_ = 0, outputs_ = 0, instructions_ = 0, registers_ = 0;
};

}  // namespace opledger
