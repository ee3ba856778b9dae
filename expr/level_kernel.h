#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "expr/kernel_code.h"
#include "expr/tape.h"

/// A kernel for inputs that become known one after another, level by level, as in nested loops. An instruction is
/// computed at the level of the last input that it reads, once for each prefix. A prefix is a choice of the inputs up
/// to that level. Instructions that read few inputs are instead tabulated over all combinations of their values, if prefixes
/// are more numerous. Instructions that read no input of a level are computed once (`fix`).
///
/// A level computes many prefixes at a time. Each of its lanes is the child of a lane of the previous level. Values of
/// earlier levels are fetched from the lane's ancestor. Every value equals that of a Kernel, bit for bit.
///
///     input     pp        tp            microbatch          A lane of microbatch has a parent among the lanes of tp. A value of
///     lanes     1 2 4     1·1 1·2 2·1   1·1·1 1·1·2 …       pp is computed for three lanes. A value of pp and microbatch is computed
///                                                           at the last level, with the value of pp fetched from an ancestor.
///
/// The caller constructs a kernel once, and a Frame for each thread. It calls `fix`, then goes through the levels in
/// order: it writes parents, codes and values of new lanes, calls `begin`, reads the checks, drops failed lanes with
/// `narrow`, and calls `finish`. Results are read at the last level.
namespace opledger {

/// A compiled tape whose inputs become known level by level. It is immutable, so threads share it.
class LevelKernel {
 public:
  static constexpr std::size_t kLanes = kMaxKernelLanes;  ///< Maximum number of lanes of a level at a time.

  /// A level, the step at which one more input becomes known.
  struct Level {
    std::size_t input = 0;    ///< Input of the tape that becomes known at this level.
    std::size_t values = 0;   ///< Maximum number of values of the input, coded from 0 on; 0: unknown, and codes may be any number.
    double prefixes = 1;      ///< Estimated number of prefixes.
    std::uint64_t reads = 0;  ///< Earlier levels whose `ancestors` the caller reads at this level, as a bit mask.
  };

  /// Compiles `checks` and `results` of a tape, which is not needed afterwards. Inputs without a level are fixed: `fix`
  /// sets them. At most 64 levels are allowed. Each computes its checks first, so that the caller can drop failed lanes.
  LevelKernel(const Tape& tape, std::span<const Scalar> checks, std::span<const Scalar> results, std::vector<Level> levels);

  std::size_t levels() const { return levels_.size(); }  ///< Returns the number of levels.
  /// Returns the level at which a check is known; -1: it is fixed.
  int level(std::size_t check) const { return checks_[check].level; }
  std::size_t instructions(std::size_t level) const;  ///< Returns the number of values computed for each prefix of a level.
  std::size_t looked_up(std::size_t level) const;     ///< Returns the number of values that a level takes from tables.

  /// The working memory of one thread.
  class Frame {
   public:
    explicit Frame(const LevelKernel& kernel);

    /// Buffers for lanes that are about to begin. The caller writes for each lane its parent, the code of its input's
    /// value, and the value. Parents are lanes of the previous level; 0 at the first level. Each buffer has kLanes entries
    /// and belongs to the frame.
    std::uint32_t* parents(std::size_t level) { return lanes_[level].indexes[level == 0 ? 0 : level - 1]; }
    std::uint32_t* codes(std::size_t level) { return lanes_[level].codes; }
    double* values(std::size_t level) { return lanes_[level].registers; }

    std::size_t count(std::size_t level) const { return lanes_[level].count; }           ///< Returns the number of lanes of a level.
    const std::uint32_t* codes(std::size_t level) const { return lanes_[level].codes; }  ///< Returns by lane the code of its input's value.
    /// Returns by lane its ancestor at an earlier level, known after `finish`. The earlier level must be in `Level::reads`,
    /// be the previous level, or be needed by the code.
    const std::uint32_t* ancestors(std::size_t level, std::size_t of) const { return lanes_[level].indexes[of]; }

   private:
    friend class LevelKernel;
    /// The lanes of one level; the pointers refer to `numbers_` and `positions_`.
    struct Lanes {
      std::size_t count = 0;
      double* registers = nullptr;          ///< Registers one after another, kLanes values each.
      std::uint32_t* codes = nullptr;       ///< Code of the input's value, by lane.
      std::vector<std::uint32_t*> indexes;  ///< Ancestors by level, then positions in tables; null: not needed.
    };

    std::vector<double> constants_, fixed_;       ///< Constants with the fixed values among them; registers of the fixed code.
    std::unique_ptr<double[]> numbers_;           ///< Registers of all levels, then all tables.
    std::unique_ptr<std::uint32_t[]> positions_;  ///< Codes and positions of all levels.
    std::vector<Lanes> lanes_;                    ///< Lanes by level.
    std::vector<double*> tables_;                 ///< Values of each table: its registers one after another.
    std::vector<const double*> sources_;          ///< Arrays that the code fetches from.
  };

  /// Computes the fixed values and the tables. `inputs` has a value for each input of the tape; values of level inputs
  /// are ignored. `values` lists by level the values of its input in the order of codes; empty if unknown.
  void fix(Frame& frame, std::span<const double> inputs, std::span<const std::vector<double>> values) const;
  /// Begins `count` lanes of a level, from 1 to kLanes, and computes its checks.
  void begin(Frame& frame, std::size_t level, std::size_t count) const;
  /// Returns the values of a check that is not fixed, by lane of its level.
  const double* check(const Frame& frame, std::size_t check) const;
  /// Returns the value of a fixed check.
  double fixed_check(const Frame& frame, std::size_t check) const { return frame.constants_[checks_[check].at]; }
  /// Drops all lanes of a level except the lanes in `left`, whose positions must increase.
  void narrow(Frame& frame, std::size_t level, std::span<const std::uint32_t> left) const;
  /// Computes the remaining values of the level.
  void finish(Frame& frame, std::size_t level) const;
  /// Returns the values of a result, by lane of the last level; null: the result is fixed.
  const double* result(const Frame& frame, std::size_t result) const;
  /// Returns the value of a fixed result.
  double fixed_result(const Frame& frame, std::size_t result) const { return frame.constants_[results_[result].at]; }

 private:
  class Builder;
  /// The place of a check or result.
  struct Output {
    int level = -1;        ///< Level of the register; -1: fixed.
    std::uint32_t at = 0;  ///< Register; for fixed values the position among the constants.
  };
  /// The code of one level.
  struct Code {
    std::vector<KernelCode> code;                        ///< Instructions, those of the checks first.
    std::size_t before = 0;                              ///< Number of instructions that the checks need.
    std::size_t registers = 0;                           ///< Number of registers, at least 1; the first holds the input's values.
    std::vector<std::uint32_t> across;                   ///< Registers whose values are needed after the checks.
    std::vector<std::uint32_t> ancestors[2], tables[2];  ///< Levels and tables whose positions are needed: [0] for the checks, [1] for the remaining code.
  };
  /// Values of instructions that read only a few levels, for all combinations of codes.
  struct Table {
    std::vector<std::uint32_t> levels, strides;     ///< Levels that the table depends on, rising; distance of entries with adjacent codes.
    std::size_t size = 1;                           ///< Number of combinations of codes.
    std::vector<KernelCode> code;                   ///< Code that fills the table, with one lane for each combination.
    std::size_t registers = 0;                      ///< Number of registers, each with one value for each combination.
    bool loads = false;                             ///< The first register holds the values of the level's input.
    std::vector<std::vector<std::uint32_t>> parts;  ///< Positions in each smaller table that it reads, by combination here; empty for other tables.

    /// Returns the number of entries rounded up to whole groups of lanes.
    std::size_t padded_size() const { return lanes_for(size); }
  };
  /// A value that code can fetch.
  struct Source {
    bool table = false;            ///< The value is in a table, not in a level.
    std::uint32_t of = 0, at = 0;  ///< The table or level, and the register in it.
  };

  // Steps of `begin`, `finish` and `fix`; the definitions describe them.
  void find_positions(Frame& frame, std::size_t level, int when) const;
  void run(Frame& frame, std::size_t level, std::span<const KernelCode> code) const;
  void fill(Frame& frame, const Table& table, double* registers) const;

  std::vector<Level> levels_;
  std::vector<Code> codes_;    ///< Code of each level.
  std::vector<Table> tables_;  ///< Tables, each after the tables that it reads.
  std::vector<Source> sources_;
  std::vector<KernelCode> fixed_;                                         ///< Code of the fixed values.
  std::size_t fixed_registers_ = 0;                                       ///< Number of registers of that code.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> fixed_constants_;  ///< Fixed values read by levels: (fixed register, position among the constants).
  std::vector<double> constants_;                                         ///< Literals, and places that `fix` fills with fixed values.
  std::vector<Output> checks_, results_;
  std::vector<std::vector<double>> lists_;  ///< Tables of the tape, which `gather` instructions read.
  std::vector<Curve> curves_;
};

}  // namespace opledger
