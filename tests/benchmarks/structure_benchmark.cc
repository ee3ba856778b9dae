#include <benchmark/benchmark.h>

#include <cstdio>
#include <vector>

#include "run/structure.h"

/// What one structure of a whole model costs to compile, and to evaluate, for one candidate and for blocks of candidates.
namespace opledger {
namespace {

const std::vector<std::string>& inputs() {
  static const std::vector<std::string> names = {"batch_size", "microbatch_size", "seq", "tp", "dp"};
  return names;
}

const std::vector<std::string>& outputs() {
  static const std::vector<std::string> names = {"iteration_time", "memory"};
  return names;
}

std::unique_ptr<Run> prepare() {
  static Library library({OPLEDGER_SOURCE_DIR});
  Diagnostics diagnostics;
  RunRequest request;
  request.model = "gpt3-175b";
  request.execution = "gpt3-175b-64xa100";
  request.system = "a100-80g-sxm";
  auto run = Run::prepare(request, library, diagnostics);
  if (!run) std::fputs(render(diagnostics).c_str(), stderr);
  return run;
}

Structure compile(Run& run) {
  Diagnostics diagnostics;
  const auto candidate = own_candidate(run, inputs(), diagnostics);
  auto structure = candidate ? Structure::compile(run, {inputs(), outputs(), false}, *candidate, diagnostics) : std::nullopt;
  if (!structure) {
    std::fputs(render(diagnostics).c_str(), stderr);
    std::abort();
  }
  return std::move(*structure);
}

void load_link_and_annotate(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(prepare());
}
BENCHMARK(load_link_and_annotate)->Unit(benchmark::kMillisecond);

void compile_structure(benchmark::State& state) {
  const auto run = prepare();
  std::size_t instructions = 0;
  for (auto _ : state) instructions = compile(*run).kernel().instructions();
  state.counters["instructions"] = static_cast<double>(instructions);
}
BENCHMARK(compile_structure)->Unit(benchmark::kMillisecond);

void evaluate(benchmark::State& state) {
  const auto run = prepare();
  const Structure structure = compile(*run);
  const std::size_t count = static_cast<std::size_t>(state.range(0));
  std::vector<std::vector<double>> in, out(outputs().size(), std::vector<double>(count));
  Diagnostics diagnostics;
  const std::vector<double> own = own_candidate(*run, inputs(), diagnostics).value_or(std::vector<double>{});
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
