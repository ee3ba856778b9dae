#include "expr/kernel.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>
#include <unordered_map>

namespace opledger {
namespace {

/// Translates the live part of a tape, in order. A register is free again after the last use of what it holds.
class Compiler {
 public:
  Compiler(const Tape& tape, std::span<const Scalar> outputs) : tape_(tape), last_use_(tape.instructions().size(), kNever) {
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      if (!outputs[o].constant()) wanted_[outputs[o].symbol].push_back(static_cast<std::uint32_t>(o));
    }
    find_last_uses();
  }

  void run() {
    register_of_.resize(last_use_.size(), kNever);
    for (std::size_t i = 0; i < last_use_.size(); ++i) {
      if (last_use_[i] != kNever) emit(static_cast<std::uint32_t>(i));
    }
  }

  std::vector<KernelCode> code;
  std::vector<double> constants;
  std::size_t registers = 0;

 private:
  const Tape::Instruction& instruction(std::uint32_t i) const { return tape_.instructions()[i]; }

  /// Backwards: what an output is, or a live instruction reads, is live.
  void find_last_uses() {
    for (const auto& [symbol, outputs] : wanted_) last_use_[symbol] = static_cast<std::uint32_t>(symbol);
    for (auto i = static_cast<std::uint32_t>(last_use_.size()); i-- > 0;) {
      if (last_use_[i] == kNever) continue;
      for (const Scalar& arg : operands(i)) {
        if (arg.constant()) continue;
        std::uint32_t& last = last_use_[arg.symbol];
        last = last == kNever ? i : std::max(last, i);
      }
    }
  }

  std::span<const Scalar> operands(std::uint32_t i) const { return {instruction(i).args, instruction(i).count}; }

  void emit(std::uint32_t i) {
    const Tape::Instruction& from = instruction(i);
    KernelCode to = code_of(from);
    for (std::uint8_t k = 0; k < from.count; ++k) operand(from.args[k], k, to);
    release(i);
    to.to = register_of_[i] = acquire();
    code.push_back(to);
    store(i);
    if (last_use_[i] == i) free_.push_back(register_of_[i]);  // Only stored.
  }

  void operand(const Scalar& s, int k, KernelCode& to) {
    if (s.constant()) {
      to.constant = static_cast<std::uint8_t>(to.constant | 1 << k);
      to.from[k] = constant(s.value);
    } else {
      to.from[k] = register_of_[s.symbol];
    }
  }

  std::uint32_t constant(double value) {
    const auto [found, fresh] = constant_index_.try_emplace(std::bit_cast<std::uint64_t>(value), static_cast<std::uint32_t>(constants.size()));
    if (fresh) constants.push_back(value);
    return found->second;
  }

  /// Registers of operands that nothing later reads; the same operand may stand twice.
  void release(std::uint32_t i) {
    for (const Scalar& arg : operands(i)) {
      if (arg.constant()) continue;
      const auto symbol = static_cast<std::size_t>(arg.symbol);
      if (last_use_[symbol] != i || register_of_[symbol] == kNever) continue;
      free_.push_back(register_of_[symbol]);
      register_of_[symbol] = kNever;
    }
  }

  /// The one freed last: it is the likeliest to be in the nearest cache.
  std::uint32_t acquire() {
    if (free_.empty()) return static_cast<std::uint32_t>(registers++);
    const std::uint32_t r = free_.back();
    free_.pop_back();
    return r;
  }

  void store(std::uint32_t i) {
    const auto found = wanted_.find(static_cast<std::int32_t>(i));
    if (found == wanted_.end()) return;
    for (const std::uint32_t output : found->second) {
      KernelCode to;
      to.kind = KernelCode::Kind::store;
      to.to = output;
      to.from[0] = register_of_[i];
      code.push_back(to);
    }
  }

  const Tape& tape_;
  std::unordered_map<std::int32_t, std::vector<std::uint32_t>> wanted_;  ///< Symbol to outputs.
  std::vector<std::uint32_t> last_use_, register_of_, free_;
  std::unordered_map<std::uint64_t, std::uint32_t> constant_index_;
};

/// Memory for the registers of this thread's runs: kept from run to run, as large as the largest kernel, aligned to cache lines.
double* scratch(std::size_t size) {
  constexpr std::size_t kLine = 64;
  thread_local std::vector<double> memory;
  const std::size_t needed = size + kLine / sizeof(double);
  if (memory.size() < needed) memory.resize(needed);
  const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
  return memory.data() + (kLine - address % kLine) % kLine / sizeof(double);
}

}  // namespace

static_assert(Kernel::kLanes == kKernelLanes);

Kernel::Kernel(const Tape& tape, std::span<const Scalar> outputs) : tables_(tape.tables()), inputs_(tape.inputs().size()), outputs_(outputs.size()) {
  Compiler compiler(tape, outputs);
  compiler.run();
  code_ = std::move(compiler.code);
  constants_ = std::move(compiler.constants);
  registers_ = compiler.registers;
  instructions_ = static_cast<std::size_t>(
      std::count_if(code_.begin(), code_.end(), [](const KernelCode& c) { return c.kind != KernelCode::Kind::load && c.kind != KernelCode::Kind::store; }));
  for (const auto& curve : tape.curves()) curves_.push_back(*curve);
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    if (outputs[o].constant()) constant_outputs_.emplace_back(o, outputs[o].value);
  }
}

void Kernel::run(std::span<const double* const> inputs, std::span<double* const> outputs, std::size_t count) const {
  assert(inputs.size() == inputs_ && outputs.size() == outputs_);
  for (const auto& [output, value] : constant_outputs_) std::fill_n(outputs[output], count, value);
  KernelBlock block{code_, constants_.data(), tables_.data(), curves_.data(), inputs.data(), outputs.data(), nullptr, 0, count};
  block.registers = scratch(registers_ * (count == 1 ? 1 : kLanes));
  if (count == 1) return run_single(block);
  for (; block.offset < count; block.offset += kLanes) {
    block.count = std::min(count - block.offset, kLanes);
    run_block(block);
  }
}

std::vector<double> Kernel::run(const std::vector<double>& inputs) const {
  std::vector<const double*> in;
  for (const double& value : inputs) in.push_back(&value);
  std::vector<double> results(outputs_);
  std::vector<double*> out;
  for (double& value : results) out.push_back(&value);
  run(in, out, 1);
  return results;
}

}  // namespace opledger
