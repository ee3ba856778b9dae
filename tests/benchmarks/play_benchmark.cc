#include <benchmark/benchmark.h>

#include "play/timeline.h"
#include "tests/benchmarks/prepared.h"

/// Costs of simulated steps: of a run, compared with the formulas of its schedule, and of long pipelines.
namespace opledger {
namespace {

/// A run and the time of its step.
void evaluate(benchmark::State& state, const char* input, const char* value) {
  for (auto _ : state) {
    const auto run = prepared("deepseek-v3", "deepseek-v3-2048xh100", "h100-80g-sxm", {{input, value}});
    Diagnostics diagnostics;
    benchmark::DoNotOptimize(run->value("iteration_time", diagnostics));
  }
}

void by_formula(benchmark::State& state) { evaluate(state, "play", "false"); }
void played(benchmark::State& state) { evaluate(state, "play", "true"); }
void played_on_streams(benchmark::State& state) { evaluate(state, "exposed", "played"); }

/// Simulates 256 stages with the given number of microbatches: three tasks of each on every stage.
void long_pipeline(benchmark::State& state) {
  const auto run = prepared("llama-3-70b", "llama-3-70b-64xh100", "h100-80g-sxm",
                            {{"pp", "256"}, {"layers", "256"}, {"chunks", "1"}, {"batch_size", std::to_string(2 * state.range(0))}});
  for (auto _ : state) {
    Diagnostics diagnostics;
    const auto step = StepSimulation::prepare(run->evaluator(), *run, run->graph_run(), false, diagnostics);
    benchmark::DoNotOptimize(step->simulate(diagnostics));
  }
}

BENCHMARK(by_formula)->Unit(benchmark::kMillisecond);
BENCHMARK(played)->Unit(benchmark::kMillisecond);
BENCHMARK(played_on_streams)->Unit(benchmark::kMillisecond);
BENCHMARK(long_pipeline)->Arg(4096)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace opledger
