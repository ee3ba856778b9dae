#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "expr/kernel_code.h"
#include "expr/tape.h"

/// A tape whose inputs become known one after another, level by level, as in nested loops: every instruction is computed at the level of the last input that
/// it reads, once for each prefix, a choice of the inputs up to there; or in a table over all values of those few that it reads, where prefixes are more.
/// A level works on many prefixes at a time, its lanes, each the child of a lane of the level before: what that one has, or one further up, is fetched from
/// there. Every value equals that of a Kernel, bit for bit.
///
///     input     pp        tp            microbatch          A lane of microbatch has a parent among those of tp; what depends on pp alone was computed
///     lanes     1 2 4     1·1 1·2 2·1   1·1·1 1·1·2 …       for three lanes, what depends on pp and microbatch at the last level, of one fetched value.
namespace opledger {

class LevelKernel {
 public:
  static constexpr std::size_t kLanes = kMostKernelLanes;

  struct Level {
    std::size_t input = 0;    ///< Of the tape: it becomes known here.
    std::size_t values = 0;   ///< Of it at most, told apart by a code from 0 on; 0: that isn't known, and codes can be any.
    double prefixes = 1;      ///< There will be about so many.
    std::uint64_t reads = 0;  ///< Levels before whose lanes the caller asks for at this one, as a mask.
  };

  /// Inputs that have no level are fixed. What checks need is computed first at each level, so that lanes can be dropped that fail one.
  LevelKernel(const Tape& tape, std::span<const Scalar> checks, std::span<const Scalar> results, std::vector<Level> levels);

  std::size_t levels() const { return levels_.size(); }
  /// The level at which a check is known; -1: it is fixed.
  int level(std::size_t check) const { return checks_[check].level; }
  std::size_t instructions(std::size_t level) const;  ///< What has to be computed for each of its prefixes.
  std::size_t looked_up(std::size_t level) const;     ///< What is taken from tables instead.

  /// What one thread computes with.
  class Frame {
   public:
    explicit Frame(const LevelKernel& kernel);

    /// Of lanes that are about to be begun: who fills them gives for each its parent among the lanes of the level before (0 at the first), the code of its
    /// value and the value.
    std::uint32_t* parents(std::size_t level) { return lanes_[level].indexes[level == 0 ? 0 : level - 1]; }
    std::uint32_t* codes(std::size_t level) { return lanes_[level].codes; }
    double* values(std::size_t level) { return lanes_[level].registers; }

    std::size_t count(std::size_t level) const { return lanes_[level].count; }
    const std::uint32_t* codes(std::size_t level) const { return lanes_[level].codes; }
    /// By lane: that of a level before, one that it is said to read, which it descends from.
    const std::uint32_t* ancestors(std::size_t level, std::size_t of) const { return lanes_[level].indexes[of]; }

   private:
    friend class LevelKernel;
    struct Lanes {
      std::size_t count = 0;
      double* registers = nullptr;
      std::uint32_t* codes = nullptr;
      std::vector<std::uint32_t*> indexes;  ///< Ancestors by level, then positions in tables; null: not needed.
    };

    std::vector<double> constants_, fixed_;
    std::unique_ptr<double[]> numbers_;
    std::unique_ptr<std::uint32_t[]> positions_;
    std::vector<Lanes> lanes_;
    std::vector<double*> tables_;
    std::vector<const double*> sources_;
  };

  /// `inputs`: a value for each input of the tape; those of levels are not read. `values`: by level, in the order of codes; empty where they are not known.
  void fix(Frame& frame, std::span<const double> inputs, std::span<const std::vector<double>> values) const;
  /// Begins so many lanes of a level, and computes what its checks need.
  void begin(Frame& frame, std::size_t level, std::size_t count) const;
  /// A check of that level, by lane.
  const double* check(const Frame& frame, std::size_t check) const;
  double fixed_check(const Frame& frame, std::size_t check) const { return frame.constants_[checks_[check].at]; }
  /// Leaves these lanes, in rising order.
  void narrow(Frame& frame, std::size_t level, std::span<const std::uint32_t> left) const;
  /// Computes what else the level has to.
  void finish(Frame& frame, std::size_t level) const;
  /// A result, by lane of the last level. Null: it is fixed.
  const double* result(const Frame& frame, std::size_t result) const;
  double fixed_result(const Frame& frame, std::size_t result) const { return frame.constants_[results_[result].at]; }

 private:
  class Builder;
  struct Output {
    int level = -1;
    std::uint32_t at = 0;  ///< Register; of what is fixed: position among the constants.
  };
  struct Code {
    std::vector<KernelCode> code;
    std::size_t before = 0;  ///< Of it, so much for checks.
    std::size_t registers = 0;
    std::vector<std::uint32_t> across;                   ///< Registers that are needed behind the checks.
    std::vector<std::uint32_t> ancestors[2], tables[2];  ///< Levels and tables whose positions the lanes need for the checks; for what follows.
  };
  /// Values of what reads a few levels alone, for all combinations of their codes.
  struct Table {
    std::vector<std::uint32_t> levels, strides;
    std::size_t size = 1;
    std::vector<KernelCode> code;
    std::size_t registers = 0;
    bool loads = false;                             ///< Its first register is the input.
    std::vector<std::vector<std::uint32_t>> parts;  ///< By table that it reads, else empty: where its own combinations stand in it.

    std::size_t room() const { return lanes_for(size); }
  };
  struct Source {
    bool table = false;
    std::uint32_t of = 0, at = 0;  ///< The table or level, and the register.
  };

  void find_positions(Frame& frame, std::size_t level, int when) const;
  void run(Frame& frame, std::size_t level, std::span<const KernelCode> code) const;
  void fill(Frame& frame, const Table& table, double* registers) const;

  std::vector<Level> levels_;
  std::vector<Code> codes_;    ///< By level.
  std::vector<Table> tables_;  ///< Each behind those that it reads.
  std::vector<Source> sources_;
  std::vector<KernelCode> fixed_;
  std::size_t fixed_registers_ = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> given_;  ///< (fixed register, position among the constants)
  std::vector<double> constants_;
  std::vector<Output> checks_, results_;
  std::vector<std::vector<double>> lists_;  ///< The tables of the tape.
  std::vector<Curve> curves_;
};

}  // namespace opledger
