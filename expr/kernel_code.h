#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "expr/tape.h"

/// Instructions of kernels and the loops that execute them on blocks of candidates. Internal to `Kernel` and
/// `LevelKernel`.
namespace opledger {

/// An instruction of a kernel.
struct KernelCode {
  enum class Kind : std::uint8_t {
    load,       ///< Copies an input to a register.
    store,      ///< Copies a register to an output.
    operation,  ///< Computes `op`.
    gather,     ///< Looks an item up in a table.
    curve,      ///< Evaluates a curve.
    fetch       ///< Copies values from a source, each candidate from a position of its own.
  };
  Kind kind = Kind::operation;
  Op op = Op::add;
  std::uint8_t constant = 0;   ///< Bit i is set: from[i] is a position among the constants, not a register.
  std::uint32_t to = 0;        ///< Result register. Store: number of the output. May equal one of `from`.
  std::uint32_t from[3] = {};  ///< Operand registers. Load: from[0] is an input. Fetch: from[0] is a source, from[1] an index.
  std::uint32_t extra = 0;     ///< Gather: number of the table. Curve: number of the curve.
};

/// Returns the kernel instruction for a tape instruction, with neither registers nor constants assigned.
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

inline constexpr std::uint32_t kNever = UINT32_MAX;    ///< Sentinel: no last use, no register, or no place.
inline constexpr std::size_t kMaxKernelLanes = 256;    ///< Maximum number of candidates in one block.
inline constexpr std::size_t kKernelLaneMultiple = 8;  ///< Lanes are computed in groups of this size; registers and indexes must have space for whole groups.

/// Returns `count` rounded up to whole groups of lanes: the lanes that a block computes for `count` candidates.
constexpr std::size_t lanes_for(std::size_t count) { return (count + kKernelLaneMultiple - 1) / kKernelLaneMultiple * kKernelLaneMultiple; }

/// Memory that a run over one block reads and writes.
struct KernelBlock {
  std::span<const KernelCode> code;
  const double* constants = nullptr;
  const std::vector<double>* tables = nullptr;
  const Curve* curves = nullptr;
  const double* const* inputs = nullptr;   ///< Values of each input, by candidate.
  double* const* outputs = nullptr;        ///< Values of each output, by candidate.
  double* registers = nullptr;             ///< Registers one after another, each with a value for every lane.
  std::size_t stride = 1;                  ///< Distance between registers, in doubles.
  std::size_t offset = 0;                  ///< Position of the block's first candidate in inputs and outputs.
  std::size_t count = 0;                   ///< Candidates in the block, at most kMaxKernelLanes.
  const double* const* sources = nullptr;  ///< Arrays that `fetch` instructions read.
  /// Positions that `fetch` instructions read, by index; positions past the last candidate must be valid for the
  /// source.
  const std::uint32_t* const* indexes = nullptr;
};

/// Executes the block's code, vectorized for this machine. Lanes past `count` up to a whole group are computed in
/// registers and never stored to outputs.
void run_block(const KernelBlock& block);
/// Executes the code for one candidate; a register is one double. `count` must be 1, and `stride` is ignored.
void run_single(const KernelBlock& block);

/// Returns whether none of `count` numbers is 0, as for truths that must all hold.
bool all_hold(const double* holds, std::size_t count);
/// Adds `stride * from[at[i]]` to `to[i]`, or `stride * from[i]` if `at` is null.
void add_scaled(const std::uint32_t* from, const std::uint32_t* at, std::uint32_t stride, std::uint32_t* to, std::size_t count);
/// Copies `from[at[i]]` to `to[i]`. `to` may equal `from` if the positions increase strictly.
void pick(const std::uint32_t* from, const std::uint32_t* at, std::uint32_t* to, std::size_t count);
/// Does the same for doubles.
void pick(const double* from, const std::uint32_t* at, double* to, std::size_t count);

}  // namespace opledger
