#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "expr/tape.h"

/// The instructions of a kernel, and the loop over them. Internal to `Kernel`.
namespace opledger {

struct KernelCode {
  enum class Kind : std::uint8_t { load, store, operation, gather, curve };
  Kind kind = Kind::operation;
  Op op = Op::add;
  std::uint8_t constant = 0;   ///< Bit i: from[i] is a position among the constants, not a register.
  std::uint32_t to = 0;        ///< Register. Store: output. May be one of `from`.
  std::uint32_t from[3] = {};  ///< Load: from[0] is an input.
  std::uint32_t extra = 0;     ///< Gather: table. Curve: curve.
};

/// The code of an instruction, without registers and constants.
inline KernelCode code_of(const Tape::Instruction& from) {
  using Kind = Tape::Instruction::Kind;
  KernelCode to;
  to.kind = from.kind == Kind::input    ? KernelCode::Kind::load
            : from.kind == Kind::gather ? KernelCode::Kind::gather
            : from.kind == Kind::curve  ? KernelCode::Kind::curve
                                        : KernelCode::Kind::operation;
  to.op = from.op;
  to.extra = from.extra;
  if (from.kind == Kind::input) to.from[0] = from.extra;
  return to;
}

inline constexpr std::uint32_t kNever = UINT32_MAX;  ///< The last use of what is never used; the register of what is in none.
inline constexpr std::size_t kKernelLanes = 64;

/// What a run over some candidates reads and writes.
struct KernelBlock {
  std::span<const KernelCode> code;
  const double* constants;
  const std::vector<double>* tables;
  const Curve* curves;
  const double* const* inputs;
  double* const* outputs;
  double* registers;
  std::size_t offset;  ///< Of the block's first candidate among the inputs and outputs.
  std::size_t count;   ///< Its candidates, at most kKernelLanes.
};

/// A register is kKernelLanes doubles, all of which are computed; what is in the lanes past `count` is never stored. Vectorised for this machine.
void run_block(const KernelBlock& block);
/// One candidate; a register is one double.
void run_single(const KernelBlock& block);

}  // namespace opledger
