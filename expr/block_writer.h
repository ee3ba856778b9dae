#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "expr/kernel_code.h"
#include "expr/tape.h"

/// Code generation for blocks: instructions in order and the registers of their values. Internal to kernels. A symbol is
/// the position of an instruction on the tape. A kernel appends the symbols to compute, then calls `finish`.
namespace opledger {

/// The constants of a program, an array. A place is a position in the array. Equal literals share a place. A value
/// computed before the block runs has a place of its own.
class Constants {
 public:
  explicit Constants(std::size_t symbols) : places_(symbols, kNever) {}

  /// Returns the place of a literal, allocated on first use.
  std::uint32_t literal(double value);
  /// Allocates a place for a symbol whose value is constant while a block runs. Returns the place.
  std::uint32_t allocate(std::int32_t symbol);
  std::uint32_t place(std::int32_t symbol) const { return places_[symbol]; }  ///< Returns the place of a symbol; kNever: it has none.

  std::vector<double> values;  ///< Constants by place; 0 at the places of symbols, which the kernel fills in.

 private:
  std::unordered_map<std::uint64_t, std::uint32_t> index_;  ///< Places of literals, by their bits.
  std::vector<std::uint32_t> places_;                       ///< Places by symbol; kNever: none.
};

/// The tables and curves that code reads, renumbered. A tape has many, and the code of a few outputs needs hardly any.
class UsedTables {
 public:
  /// Collects the tables and curves that `code` reads and renumbers the references in it.
  void collect(const Tape& tape, std::span<KernelCode> code);

  std::vector<std::vector<double>> tables;
  std::vector<Curve> curves;

 private:
  std::unordered_map<std::uint32_t, std::uint32_t> tables_, curves_;  ///< Numbers in the tape to numbers here.
};

/// A writer of blocks over one tape, one block after another. Registers are assigned by linear scan: a register is free
/// again after the last use of its value.
class BlockWriter {
 public:
  /// Prepares for the first `symbols` symbols of the tape.
  BlockWriter(const Tape& tape, std::size_t symbols, Constants& constants);

  /// Returns whether the block has computed, fetched or preloaded the symbol.
  bool available(std::int32_t symbol) const { return available_[symbol]; }
  /// Appends the instruction or input load of a symbol. Its operands must be available or constants.
  void compute(std::int32_t symbol);
  /// Appends a fetch of a symbol's value. `source` is the number of an array of values, `index` the number of an array with
  /// the position for each candidate; see KernelBlock.
  void fetch(std::int32_t symbol, std::uint32_t source, std::uint32_t index);
  /// Appends a store of a symbol's value to the output of this number.
  void store(std::int32_t symbol, std::uint32_t output);
  /// Declares that a value is in its register when the block begins.
  void preload(std::int32_t symbol);
  /// Reserves the register of a value until the end of the block, so that later blocks can read the value.
  void reserve(std::int32_t symbol);
  /// Marks the position at which the caller can interrupt the block to drop candidates.
  void pause() { pause_ = steps_.size(); }

  /// The code of a block with its registers.
  struct Block {
    std::vector<KernelCode> code;
    std::size_t before = 0;             ///< Number of instructions before the pause; 0 without a pause.
    std::size_t registers = 0;          ///< Number of registers in use.
    std::vector<std::uint32_t> across;  ///< Registers whose values are needed after the pause.
  };
  /// Assigns registers and returns the block. The writer then starts the next block.
  Block finish();
  /// Returns the register of a value that was reserved or preloaded in the last block.
  std::uint32_t register_of(std::int32_t symbol) const { return registers_[symbol]; }

 private:
  /// An instruction whose registers are not yet assigned.
  struct Step {
    KernelCode code;
    std::int32_t symbol;                      ///< Symbol computed by the step; -1: none.
    std::int32_t operands[3] = {-1, -1, -1};  ///< Symbols read from registers; -1: a constant, or no operand.
  };

  void begin(std::int32_t symbol);
  void find_last_uses();
  void release(const Step& step, std::uint32_t at);
  std::uint32_t acquire(Block& block);

  const Tape& tape_;
  Constants& constants_;
  std::vector<Step> steps_;                        ///< Steps of the current block.
  std::size_t pause_ = 0;                          ///< Number of steps before the pause.
  std::vector<bool> available_, reserved_;         ///< Marks by symbol: value available; register reserved.
  std::vector<std::uint32_t> last_, registers_;    ///< Steps of the last uses, and registers, by symbol.
  std::vector<std::int32_t> current_, preloaded_;  ///< Symbols available in this block; symbols preloaded at its begin.
  std::vector<std::int32_t> previous_;             ///< Symbols of the previous block.
  std::vector<std::uint32_t> free_;                ///< Registers whose values are no longer needed.
};

}  // namespace opledger
