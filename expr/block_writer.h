#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "expr/kernel_code.h"
#include "expr/tape.h"

/// The code of blocks: what is computed in order on the same lanes, and which register holds it. Internal to kernels.
namespace opledger {

/// Numbers of a program, each once, and places for values that are constants while a block of it runs.
class Constants {
 public:
  explicit Constants(std::size_t symbols) : places_(symbols, kNever) {}

  std::uint32_t literal(double value);
  /// Gives a symbol a place: from now on it is a constant.
  std::uint32_t give(std::int32_t symbol);
  std::uint32_t place(std::int32_t symbol) const { return places_[symbol]; }  ///< kNever: it has none.

  std::vector<double> values;

 private:
  std::unordered_map<std::uint64_t, std::uint32_t> index_;
  std::vector<std::uint32_t> places_;
};

/// The tables and curves of a tape that code reads: a tape has many, and the code of a few outputs needs hardly any.
class ReadTables {
 public:
  /// Takes what this code reads, and numbers it anew there.
  void take(const Tape& tape, std::span<KernelCode> code);

  std::vector<std::vector<double>> tables;
  std::vector<Curve> curves;

 private:
  std::unordered_map<std::uint32_t, std::uint32_t> tables_, curves_;  ///< Numbers of the tape to those here.
};

/// One block after the other of the same tape. A register is free again after the last use of what it holds.
class BlockWriter {
 public:
  /// `symbols`: so many of the tape's, the first, are written about.
  BlockWriter(const Tape& tape, std::size_t symbols, Constants& constants);

  bool holds(std::int32_t symbol) const { return held_[symbol]; }
  /// An instruction, or an input that is loaded. Its operands are held or constants.
  void compute(std::int32_t symbol);
  void fetch(std::int32_t symbol, std::uint32_t source, std::uint32_t index);
  void store(std::int32_t symbol, std::uint32_t output);
  /// It lies in its register when the block begins.
  void hold(std::int32_t symbol);
  /// It stays in its register.
  void keep(std::int32_t symbol);
  /// Here the block can be interrupted.
  void pause() { pause_ = steps_.size(); }

  struct Block {
    std::vector<KernelCode> code;
    std::size_t before = 0;  ///< Code before the pause.
    std::size_t registers = 0;
    std::vector<std::uint32_t> across;  ///< Registers whose values are needed behind the pause.
  };
  /// The block; the next one can be written.
  Block finish();
  /// Of the last block: where what was kept or held lies.
  std::uint32_t register_of(std::int32_t symbol) const { return registers_[symbol]; }

 private:
  struct Step {
    KernelCode code;
    std::int32_t symbol;  ///< That it gives a value; -1: none.
    std::int32_t operands[3] = {-1, -1, -1};
  };

  void begin(std::int32_t symbol);
  void find_last_uses();
  void release(const Step& step, std::uint32_t at);
  std::uint32_t acquire(Block& block);

  const Tape& tape_;
  Constants& constants_;
  std::vector<Step> steps_;
  std::size_t pause_ = 0;
  std::vector<bool> held_, kept_;                ///< By symbol.
  std::vector<std::uint32_t> last_, registers_;  ///< By symbol.
  std::vector<std::int32_t> here_, first_;       ///< Symbols that are held; those that are when the block begins.
  std::vector<std::int32_t> before_;             ///< Those of the block before.
  std::vector<std::uint32_t> free_;
};

}  // namespace opledger
