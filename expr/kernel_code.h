#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "expr/tape.h"

/// The instructions of a kernel, and the loop over them. Internal to `Kernel`.
namespace opledger {

struct KernelCode {
  enum class Kind : std::uint8_t { load, store, operation, gather, curve, fetch };
  Kind kind = Kind::operation;
  Op op = Op::add;
  std::uint8_t constant = 0;   ///< Bit i: from[i] is a position among the constants, not a register.
  std::uint32_t to = 0;        ///< Register. Store: output. May be one of `from`.
  std::uint32_t from[3] = {};  ///< Load: from[0] is an input. Fetch: from[0] is a source, from[1] an index.
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

inline constexpr std::uint32_t kNever = UINT32_MAX;    ///< The last use of what is never used; the register of what is in none.
inline constexpr std::size_t kMostKernelLanes = 256;   ///< Candidates of one block.
inline constexpr std::size_t kKernelLaneMultiple = 8;  ///< Lanes are computed in so many at a time: room for them must be there.

/// Lanes that are computed for so many candidates.
constexpr std::size_t lanes_for(std::size_t count) { return (count + kKernelLaneMultiple - 1) / kKernelLaneMultiple * kKernelLaneMultiple; }

/// What a run over some candidates reads and writes.
struct KernelBlock {
  std::span<const KernelCode> code;
  const double* constants = nullptr;
  const std::vector<double>* tables = nullptr;
  const Curve* curves = nullptr;
  const double* const* inputs = nullptr;
  double* const* outputs = nullptr;
  double* registers = nullptr;
  std::size_t stride = 1;                         ///< Doubles of a register.
  std::size_t offset = 0;                         ///< Of the block's first candidate among the inputs and outputs.
  std::size_t count = 0;                          ///< Its candidates, at most kMostKernelLanes.
  const double* const* sources = nullptr;         ///< What is fetched is an item of one of these,
  const std::uint32_t* const* indexes = nullptr;  ///< at these positions; beyond the last candidate any of the source's.
};

/// Some lanes past `count` are computed, too, and never stored. Vectorised for this machine.
void run_block(const KernelBlock& block);
/// One candidate; a register is one double.
void run_single(const KernelBlock& block);

/// Whether none is 0.
bool all_hold(const double* holds, std::size_t count);
/// `to[i] += stride * from[at[i]]`; `at` null: `from[i]`.
void add_scaled(const std::uint32_t* from, const std::uint32_t* at, std::uint32_t stride, std::uint32_t* to, std::size_t count);
/// `to[i] = from[at[i]]`; `to` may be `from` where positions rise by one at least.
void pick(const std::uint32_t* from, const std::uint32_t* at, std::uint32_t* to, std::size_t count);
void pick(const double* from, const std::uint32_t* at, double* to, std::size_t count);

}  // namespace opledger
