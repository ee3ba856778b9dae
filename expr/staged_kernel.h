#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "expr/kernel_code.h"
#include "expr/tape.h"

/// A tape whose inputs change at different rates, so that every instruction runs as seldom as its inputs allow: some inputs are fixed, some differ from row
/// to row, some from column to column. What depends on rows and columns is computed for cells: all columns of one row, a block at a time, where what the
/// row gives is a constant. Every value equals that of a Kernel, bit for bit.
namespace opledger {

class StagedKernel {
 public:
  /// As a mask: what depends on rows and on columns is of cells.
  enum Stage : std::uint8_t { kFixed = 0, kRow = 1, kColumn = 2, kCell = 3 };
  static constexpr std::size_t kLanes = kKernelLanes;

  /// `inputs`: the stage of each input of the tape, none of them kCell. Of the cells' outputs the first `early` can be computed before the others.
  StagedKernel(const Tape& tape, std::span<const Scalar> outputs, std::span<const Stage> inputs, std::size_t early);

  Stage stage(std::size_t output) const { return outputs_[output].stage; }
  std::size_t instructions(Stage stage) const { return parts_[stage].instructions; }

  /// Columns with what depends on them alone, and room for the cells of one row.
  class Columns {
   public:
    std::size_t count() const { return count_; }
    std::size_t blocks() const { return (count_ + kLanes - 1) / kLanes; }

   private:
    friend class StagedKernel;
    std::size_t count_ = 0;
    std::vector<double> registers_;
  };

  /// What one thread computes with: the fixed values, and those of up to kLanes rows.
  class Frame {
   public:
    explicit Frame(const StagedKernel& kernel);

   private:
    friend class StagedKernel;
    std::vector<double> constants_, fixed_, rows_;
  };

  /// `inputs[i]`: a value for each input; those of other stages are not read.
  void fix(Frame& frame, std::span<const double> inputs) const;
  /// `inputs[i]` points at `count` values, at most kLanes; those of other stages are not read and may be null.
  void run_rows(Frame& frame, std::span<const double* const> inputs, std::size_t count) const;
  Columns columns(Frame& frame, std::span<const double* const> inputs, std::size_t count) const;
  /// From here on cells are those of this row.
  void enter(Frame& frame, std::size_t row) const;
  void run_cells(Frame& frame, Columns& columns, std::size_t block, bool early) const;

  /// The value of an output of stage kFixed or kRow.
  double value(const Frame& frame, std::size_t output, std::size_t row) const;
  /// kLanes values of an output of stage kColumn or kCell, for a block of columns; past the last column they mean nothing.
  const double* values(const Columns& columns, std::size_t output, std::size_t block) const;

 private:
  class Builder;
  struct Output {
    Stage stage = kFixed;
    std::uint32_t at = 0;  ///< Register; kFixed: position among the constants.
  };
  struct Part {
    std::vector<KernelCode> code;
    std::size_t early = 0;  ///< Of the code.
    std::size_t registers = 0, instructions = 0;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> given;  ///< (register, position among the constants): what later parts read.
  };

  KernelBlock block(const Frame& frame, std::span<const KernelCode> code, double* registers, std::size_t count) const;

  Part parts_[4];  ///< By stage. Registers of columns are the first of those of cells.
  std::vector<double> constants_;
  std::vector<Output> outputs_;
  std::vector<std::vector<double>> tables_;
  std::vector<Curve> curves_;
};

}  // namespace opledger
