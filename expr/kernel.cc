#include "expr/kernel.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <unordered_map>

#include "expr/block_writer.h"

namespace opledger {
namespace {

/// Returns memory for the registers of this thread's runs. The memory grows to the largest kernel, is reused between
/// runs, and is aligned to cache lines.
double* scratch(std::size_t size) {
  constexpr std::size_t kLine = 64;
  thread_local std::vector<double> memory;
  const std::size_t needed = size + kLine / sizeof(double);
  if (memory.size() < needed) memory.resize(needed);
  const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
  return memory.data() + (kLine - address % kLine) % kLine / sizeof(double);
}

}  // namespace

static_assert(Kernel::kLanes <= kMaxKernelLanes && Kernel::kLanes % kKernelLaneMultiple == 0);

Kernel::Kernel(const Tape& tape, std::span<const Scalar> outputs) : inputs_(tape.inputs().size()), outputs_(outputs.size()) {
  // Compiles the outputs in one pass over the instructions that they need, because operands precede their users on a
  // tape. The writer assigns registers. A value is stored to its outputs right after its computation, so that its register
  // is free early. Constant outputs need no code; `run` fills them in. The time is linear in the tape.
  const std::vector<bool> needed = tape.reached(outputs);
  std::size_t symbols = 0;  // Prefix of the tape that the outputs can need.
  std::unordered_map<std::int32_t, std::vector<std::uint32_t>> outputs_of;
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    if (outputs[o].constant()) continue;
    outputs_of[outputs[o].symbol].push_back(static_cast<std::uint32_t>(o));
    symbols = std::max(symbols, static_cast<std::size_t>(outputs[o].symbol) + 1);
  }
  Constants constants(symbols);
  BlockWriter writer(tape, symbols, constants);
  for (std::size_t i = 0; i < symbols; ++i) {
    if (!needed[i]) continue;
    const auto symbol = static_cast<std::int32_t>(i);
    writer.compute(symbol);
    if (const auto found = outputs_of.find(symbol); found != outputs_of.end()) {
      for (const std::uint32_t output : found->second) writer.store(symbol, output);
    }
  }
  BlockWriter::Block block = writer.finish();
  code_ = std::move(block.code);
  registers_ = block.registers;
  constants_ = std::move(constants.values);
  instructions_ = static_cast<std::size_t>(
      std::count_if(code_.begin(), code_.end(), [](const KernelCode& c) { return c.kind != KernelCode::Kind::load && c.kind != KernelCode::Kind::store; }));
  UsedTables read;
  read.collect(tape, code_);
  tables_ = std::move(read.tables);
  curves_ = std::move(read.curves);
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    if (outputs[o].constant()) constant_outputs_.emplace_back(o, outputs[o].value);
  }
}

void Kernel::run(std::span<const double* const> inputs, std::span<double* const> outputs, std::size_t count) const {
  // A single candidate runs through scalar code. Larger counts run in blocks of kLanes candidates.
  assert(inputs.size() == inputs_ && outputs.size() == outputs_);
  for (const auto& [output, value] : constant_outputs_) std::fill_n(outputs[output], count, value);
  KernelBlock block{code_, constants_.data(), tables_.data(), curves_.data(), inputs.data(), outputs.data()};
  block.count = count;
  block.registers = scratch(registers_ * (count == 1 ? 1 : kLanes));
  if (count == 1) return run_single(block);
  block.stride = kLanes;
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
