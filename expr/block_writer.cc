#include "expr/block_writer.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace opledger {

std::uint32_t Constants::literal(double value) {
  const auto [found, fresh] = index_.try_emplace(std::bit_cast<std::uint64_t>(value), static_cast<std::uint32_t>(values.size()));
  if (fresh) values.push_back(value);
  return found->second;
}

std::uint32_t Constants::allocate(std::int32_t symbol) {
  places_[symbol] = static_cast<std::uint32_t>(values.size());
  values.push_back(0);
  return places_[symbol];
}

void UsedTables::collect(const Tape& tape, std::span<KernelCode> code) {
  // Renumbers tables and curves in the order in which the code first reads them.
  for (KernelCode& c : code) {
    if (c.kind == KernelCode::Kind::gather) {
      const auto [found, fresh] = tables_.try_emplace(c.extra, static_cast<std::uint32_t>(tables.size()));
      if (fresh) tables.push_back(tape.tables()[c.extra]);
      c.extra = found->second;
    } else if (c.kind == KernelCode::Kind::curve) {
      const auto [found, fresh] = curves_.try_emplace(c.extra, static_cast<std::uint32_t>(curves.size()));
      if (fresh) curves.push_back(*tape.curves()[c.extra]);
      c.extra = found->second;
    }
  }
}

BlockWriter::BlockWriter(const Tape& tape, std::size_t symbols, Constants& constants)
    : tape_(tape), constants_(constants), available_(symbols), reserved_(symbols), last_(symbols, kNever), registers_(symbols, kNever) {}

void BlockWriter::begin(std::int32_t symbol) {
  assert(!available_[symbol]);
  available_[symbol] = true;
  current_.push_back(symbol);
}

void BlockWriter::compute(std::int32_t symbol) {
  // Appends the tape's instruction of a symbol to the block. An operand that is a literal, or has a place among the
  // constants, becomes this position, and bit k of `code.constant` says so. Any other operand stays a symbol, which
  // `finish` replaces by a register.
  const Tape::Instruction& from = tape_.instructions()[symbol];
  Step step{code_of(from), symbol};
  for (std::uint8_t k = 0; k < from.count; ++k) {
    const Scalar& arg = from.args[k];
    const std::uint32_t place = arg.constant() ? constants_.literal(arg.value) : constants_.place(arg.symbol);
    if (place == kNever) {
      step.operands[k] = arg.symbol;
      continue;
    }
    step.code.constant = static_cast<std::uint8_t>(step.code.constant | 1 << k);
    step.code.from[k] = place;
  }
  begin(symbol);
  steps_.push_back(step);
}

void BlockWriter::fetch(std::int32_t symbol, std::uint32_t source, std::uint32_t index) {
  Step step{{}, symbol};
  step.code.kind = KernelCode::Kind::fetch;
  step.code.from[0] = source;
  step.code.from[1] = index;
  begin(symbol);
  steps_.push_back(step);
}

void BlockWriter::store(std::int32_t symbol, std::uint32_t output) {
  Step step{{}, -1, {symbol, -1, -1}};
  step.code.kind = KernelCode::Kind::store;
  step.code.to = output;
  steps_.push_back(step);
}

void BlockWriter::preload(std::int32_t symbol) {
  begin(symbol);
  preloaded_.push_back(symbol);
}

void BlockWriter::reserve(std::int32_t symbol) { reserved_[symbol] = true; }

void BlockWriter::find_last_uses() {
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    for (const std::int32_t operand : steps_[s].operands) {
      if (operand >= 0) last_[operand] = static_cast<std::uint32_t>(s);
    }
  }
}

/// Frees the registers of operands after their last use. An operand that occurs twice is freed once.
void BlockWriter::release(const Step& step, std::uint32_t at) {
  for (const std::int32_t operand : step.operands) {
    if (operand < 0 || reserved_[operand] || last_[operand] != at) continue;
    free_.push_back(registers_[operand]);
    last_[operand] = kNever;
  }
}

/// Returns the register freed last, because it is the most likely to be in the L1 cache; a new register if none is free.
std::uint32_t BlockWriter::acquire(Block& block) {
  if (free_.empty()) return static_cast<std::uint32_t>(block.registers++);
  const std::uint32_t r = free_.back();
  free_.pop_back();
  return r;
}

BlockWriter::Block BlockWriter::finish() {
  // Assigns registers by linear scan, in one pass over the steps, and resets the writer. `last_` holds by symbol the step
  // of its last use. An operand's register is freed there, before the result's register is acquired, so that a result may
  // replace an operand. A result without a use is freed at once. Preloaded symbols get the first registers. A block may
  // have a pause: code before the pause decides which candidates go on. Registers needed after the pause are listed in
  // `across`, so that the caller keeps only these for the remaining candidates. The cost is linear in the number of steps.
  for (const std::int32_t symbol : previous_) registers_[symbol] = kNever;  // `register_of` needed them until now.
  find_last_uses();
  Block block;
  block.before = pause_;
  for (const std::int32_t symbol : preloaded_) registers_[symbol] = acquire(block);
  const auto find_across = [&] {
    for (const std::int32_t symbol : current_) {
      const bool is_computed = registers_[symbol] != kNever;
      if (is_computed && (reserved_[symbol] || (last_[symbol] != kNever && last_[symbol] >= pause_))) block.across.push_back(registers_[symbol]);
    }
  };
  block.code.reserve(steps_.size());
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    if (s == pause_) find_across();
    Step& step = steps_[s];
    for (std::size_t k = 0; k < std::size(step.operands); ++k) {
      if (step.operands[k] >= 0) step.code.from[k] = registers_[step.operands[k]];
    }
    release(step, static_cast<std::uint32_t>(s));
    if (step.symbol >= 0) {
      step.code.to = registers_[step.symbol] = acquire(block);
      if (!reserved_[step.symbol] && last_[step.symbol] == kNever) free_.push_back(step.code.to);
    }
    block.code.push_back(step.code);
  }
  if (pause_ == steps_.size()) find_across();
  for (const std::int32_t symbol : current_) {
    available_[symbol] = reserved_[symbol] = false;
    last_[symbol] = kNever;
  }
  previous_ = std::move(current_);
  current_.clear();
  preloaded_.clear();
  steps_.clear();
  free_.clear();
  pause_ = 0;
  return block;
}

}  // namespace opledger
