#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "expr/kernel_code.h"
#include "expr/tape.h"

/// Compiled form of a tape. A kernel has only the instructions that its outputs need, with registers assigned by linear
/// scan. Each instruction is a loop over a block of candidates (structure of arrays). The compiler vectorizes most of
/// these loops. A single candidate runs through scalar code.
namespace opledger {

/// A compiled program for any number of candidates. It is immutable, so threads share it.
class Kernel {
 public:
  static constexpr std::size_t kLanes = 64;  ///< Candidates of one block, so few that the registers of most kernels stay in the L1 cache.

  /// Compiles `outputs`, which may include constants. The kernel does not refer to the tape afterwards.
  Kernel(const Tape& tape, std::span<const Scalar> outputs);

  std::size_t inputs() const { return inputs_; }              ///< Number of inputs of the tape, whether the code reads them or not.
  std::size_t outputs() const { return outputs_; }            ///< Number of outputs, including constants.
  std::size_t instructions() const { return instructions_; }  ///< Number of operations, table look-ups and curves, without loads and stores.
  std::size_t registers() const { return registers_; }        ///< Number of registers, each one value for each lane.

  /// Computes `count` candidates. `inputs[i]` and `outputs[o]` point to `count` values each; any count is allowed.
  void run(std::span<const double* const> inputs, std::span<double* const> outputs, std::size_t count) const;
  /// Computes one candidate: takes a value for each input and returns a value for each output.
  std::vector<double> run(const std::vector<double>& inputs) const;

 private:
  std::vector<KernelCode> code_;
  std::vector<double> constants_;
  std::vector<std::pair<std::size_t, double>> constant_outputs_;  ///< Outputs without code: (number, value).
  std::vector<std::vector<double>> tables_;                       ///< Tables that the code reads.
  std::vector<Curve> curves_;
  std::size_t inputs_ = 0, outputs_ = 0, instructions_ = 0, registers_ = 0;
};

}  // namespace opledger
