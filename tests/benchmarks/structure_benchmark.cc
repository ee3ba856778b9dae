#include <benchmark/benchmark.h>

#include <cstdio>
#include <vector>

#include "run/compiled_program.h"
#include "run/run.h"
#include "tests/benchmarks/prepared.h"

/// Costs of compiling one structure of a whole model, and of evaluating it for one candidate and for blocks.
namespace opledger {
namespace {

/// Inputs that differ between candidates; `replicas` is the axis of data parallelism, or a part of it.
std::vector<std::string> inputs(const char* replicas) { return {"batch_size", "microbatch_size", "seq", "tp", replicas}; }

const std::vector<std::string>& outputs() {
  static const std::vector<std::string> names = {"iteration_time", "memory"};
  return names;
}

std::unique_ptr<Run> prepare(const char* model = "gpt3-175b", const char* execution = "gpt3-175b-64xa100", const char* system = "a100-80g-sxm") {
  return prepared(model, execution, system);
}

/// Returns the run's own values of these inputs.
std::optional<std::vector<double>> own_candidate(Run& run, const std::vector<std::string>& inputs, Diagnostics& diagnostics) {
  std::vector<double> out;
  for (const std::string& input : inputs) {
    const std::optional<Value> v = run.value(input, diagnostics);
    if (!v) return std::nullopt;
    out.push_back(v->kind == Value::Kind::word ? v->word : v->scalar.value);
  }
  return out;
}

CompiledProgram compile(Run& run, const char* replicas = "dp") {
  Diagnostics diagnostics;
  const auto candidate = own_candidate(run, inputs(replicas), diagnostics);
  auto structure = candidate ? CompiledProgram::compile(run, {inputs(replicas), outputs(), false}, *candidate, diagnostics) : std::nullopt;
  if (!structure) {
    std::fputs(render(diagnostics).c_str(), stderr);
    std::abort();
  }
  return std::move(*structure);
}

void load_link_and_annotate(benchmark::State& state, const char* model, const char* execution, const char* system) {
  for (auto _ : state) benchmark::DoNotOptimize(prepare(model, execution, system));
}
BENCHMARK_CAPTURE(load_link_and_annotate, dense, "gpt3-175b", "gpt3-175b-64xa100", "a100-80g-sxm")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(load_link_and_annotate, experts, "deepseek-v3", "deepseek-v3-2048xh100", "h100-80g-sxm")->Unit(benchmark::kMillisecond);

void compile_structure(benchmark::State& state, const char* model, const char* execution, const char* system, const char* replicas) {
  const auto run = prepare(model, execution, system);
  std::size_t instructions = 0;
  for (auto _ : state) instructions = compile(*run, replicas).kernel().instructions();
  state.counters["instructions"] = static_cast<double>(instructions);
}
BENCHMARK_CAPTURE(compile_structure, dense, "gpt3-175b", "gpt3-175b-64xa100", "a100-80g-sxm", "dp")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(compile_structure, experts, "deepseek-v3", "deepseek-v3-2048xh100", "h100-80g-sxm", "edp")->Unit(benchmark::kMillisecond);

void evaluate(benchmark::State& state) {
  const auto run = prepare();
  const CompiledProgram structure = compile(*run);
  const std::size_t count = static_cast<std::size_t>(state.range(0));
  std::vector<std::vector<double>> in, out(outputs().size(), std::vector<double>(count));
  Diagnostics diagnostics;
  const std::vector<double> own = own_candidate(*run, inputs("dp"), diagnostics).value_or(std::vector<double>{});
  for (const double value : own) in.emplace_back(count, value);
  std::vector<const double*> from;
  std::vector<double*> to;
  for (const auto& column : in) from.push_back(column.data());
  for (auto& column : out) to.push_back(column.data());
  for (auto _ : state) {
    structure.kernel().run(from, to, count);
    benchmark::ClobberMemory();
  }
  state.counters["evaluations"] = benchmark::Counter(static_cast<double>(count) * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(evaluate)->Arg(1)->Arg(64)->Arg(4096);

}  // namespace
}  // namespace opledger
