#include <benchmark/benchmark.h>

#include <memory>
#include <random>
#include <vector>

#include "expr/kernel.h"

/// Tapes of the size and mix of instructions that an accounting gives.
namespace opledger {
namespace {

constexpr std::size_t kInputs = 30;
constexpr std::size_t kInstructions = 900;
constexpr std::size_t kOutputs = 8;

/// Appends a random instruction. Operations have the shares counted in a whole accounting.
Scalar instruction(Tape& tape, const std::shared_ptr<const Curve>& curve, std::mt19937& random, const std::vector<Scalar>& from) {
  static const std::vector<double> table = {25e9, 300e9, 600e9};
  const auto pick = [&] {
    const std::size_t near = random() % 4 == 0 ? from.size() : 40;
    return from[from.size() - 1 - random() % std::min(near, from.size())];
  };
  const auto constant = [&] { return real(1 + random() % 7); };
  const std::uint32_t kind = random() % 100;
  if (kind < 37) return tape.apply(Op::add, pick(), pick());
  if (kind < 61) return tape.apply(Op::multiply, pick(), random() % 2 == 0 ? constant() : pick());
  if (kind < 71) return tape.apply(Op::divide, pick(), pick());
  if (kind < 76) return tape.curve(curve, pick());
  if (kind < 81) return tape.apply(Op::select, tape.apply(Op::less, pick(), pick()), pick(), pick());
  if (kind < 85) return tape.apply(Op::subtract, pick(), pick());
  if (kind < 89) return tape.apply(Op::maximum, pick(), pick());
  if (kind < 92) return tape.apply(Op::floor_divide, pick(), constant());
  if (kind < 95) return tape.gather(table, tape.apply(Op::less, pick(), pick()));
  return tape.apply(Op::logical_and, tape.apply(Op::less, pick(), pick()), tape.apply(Op::less_equal, pick(), constant()));
}

struct Program {
  Tape tape;
  std::vector<Scalar> outputs;

  Program() {
    std::mt19937 random(1);
    const auto curve = std::make_shared<const Curve>(Curve{{{4096, 0.9}, {1024, 0.8}, {256, 0.6}, {64, 0.4}, {16, 0.2}, {0, 0.1}}});
    std::vector<Scalar> scalars;
    for (std::size_t i = 0; i < kInputs; ++i) scalars.push_back(tape.input("i", static_cast<double>(i + 1), true));
    while (tape.instructions().size() < kInputs + kInstructions) scalars.push_back(instruction(tape, curve, random, scalars));
    // Each output reads every n-th instruction, so that no instruction is dead.
    for (std::size_t o = 0; o < kOutputs; ++o) {
      Scalar sum = integer(0);
      for (std::size_t i = o; i < scalars.size(); i += kOutputs * 4) sum = tape.apply(Op::add, sum, scalars[i]);
      outputs.push_back(sum);
    }
  }
};

void run(benchmark::State& state) {
  const Program program;
  const Kernel kernel(program.tape, program.outputs);
  const auto count = static_cast<std::size_t>(state.range(0));
  std::mt19937 random(2);
  std::vector<double> inputs(count * kInputs), outputs(count * kOutputs);
  for (double& x : inputs) x = 1 + random() % 100;
  std::vector<const double*> in;
  std::vector<double*> out;
  for (std::size_t i = 0; i < kInputs; ++i) in.push_back(inputs.data() + i * count);
  for (std::size_t o = 0; o < kOutputs; ++o) out.push_back(outputs.data() + o * count);
  for (auto _ : state) {
    kernel.run(in, out, count);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(count));
  state.counters["instructions"] = static_cast<double>(kernel.instructions());
  state.counters["registers"] = static_cast<double>(kernel.registers());
}
BENCHMARK(run)->Arg(1)->Arg(8)->Arg(64)->Arg(1 << 14);

void record(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(Program().outputs.data());
}
BENCHMARK(record)->Unit(benchmark::kMicrosecond);

void compile(benchmark::State& state) {
  const Program program;
  for (auto _ : state) benchmark::DoNotOptimize(Kernel(program.tape, program.outputs).registers());
}
BENCHMARK(compile)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace opledger
