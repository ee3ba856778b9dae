#include <benchmark/benchmark.h>

#include <cstdio>
#include <vector>

#include "run/compiled_program.h"
#include "search/search.h"
#include "search/space/free_axes.h"
#include "search/space/space_reader.h"

/// Whole searches, from reading documents to the ten best, on one thread and on two. Also the candidates of one
/// structure, evaluated in blocks without sharing. scripts/count_instructions.sh counts the instructions of these
/// searches.
namespace opledger {
namespace {

RunRequest calculon() {
  RunRequest out;
  out.space = "calculon";
  out.model = "calculon/gpt3-175B";
  out.system = "calculon/a100_80g";
  out.overrides = {{"num_procs", "4096"}, {"max_batch_size", "3072"}, {"datatype", "float16"}};
  return out;
}

RunRequest standard(const char* batch, const char* widest_cp, const char* more) {
  RunRequest out;
  out.space = "standard";
  out.model = "llama-3-70b";
  out.system = "h100-80g-sxm";
  out.overrides = {{"processors", "1024"}, {"batch_size", batch}, {"widest_cp", widest_cp}, {"offloads", more}, {"orders", more}};
  return out;
}

RunRequest serving(const char* model, const char* processors, const char* widest_ep) {
  RunRequest out;
  out.space = "serving";
  out.model = model;
  out.system = "h200-141g-sxm";
  out.overrides = {{"processors", processors}, {"widest_ep", widest_ep}};
  return out;
}

void fail(const Diagnostics& diagnostics) {
  std::fputs(render(diagnostics).c_str(), stderr);
  std::abort();
}

void whole_search(benchmark::State& state, RunRequest (*run)()) {
  SearchRequest request;
  request.run = run();
  request.sweep.jobs = static_cast<std::size_t>(state.range(0));
  double candidates = 0, structures = 0, parts = 0;
  for (auto _ : state) {
    Library library({OPLEDGER_SOURCE_DIR});
    Diagnostics diagnostics;
    const std::optional<SearchAnswer> answer = search(request, library, diagnostics);
    if (!answer) fail(diagnostics);
    candidates = static_cast<double>(answer->result.candidates);
    structures = static_cast<double>(answer->result.traces);
    parts = static_cast<double>(answer->result.groups);
  }
  state.counters["candidates"] = candidates;
  state.counters["structures"] = structures;
  state.counters["parts"] = parts;
  state.counters["rate"] = benchmark::Counter(candidates * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
void on_threads(benchmark::internal::Benchmark* search) { search->Arg(1)->Arg(2)->ArgName("threads")->Unit(benchmark::kMillisecond)->UseRealTime(); }

BENCHMARK_CAPTURE(whole_search, calculon, calculon)->Apply(on_threads);
BENCHMARK_CAPTURE(whole_search, standard, [] { return standard("1024", "1", "false"); })->Apply(on_threads);
BENCHMARK_CAPTURE(whole_search, standard_wide, [] { return standard("2048", "16", "true"); })->Apply(on_threads);
BENCHMARK_CAPTURE(whole_search, serving, [] { return serving("llama-3-70b", "16", "1"); })->Apply(on_threads);
BENCHMARK_CAPTURE(whole_search, serving_experts, [] { return serving("mixtral-8x7b", "16", "2"); })->Apply(on_threads);
BENCHMARK_CAPTURE(whole_search, serving_latent, [] { return serving("deepseek-v3", "32", "32"); })->Apply(on_threads);

/// The objective and all constraints of candidates that differ in everything that does not change the structure.
void plain_blocks(benchmark::State& state, RunRequest (*run)()) {
  Library library({OPLEDGER_SOURCE_DIR});
  Diagnostics diagnostics;
  std::optional<Space> space = read_space(run(), library, diagnostics);
  if (!space) fail(diagnostics);
  Assignment assignment(*space);
  std::vector<std::vector<double>> candidates;
  const std::size_t count = 1 << 15;
  assignment.each(0, assignment.all(), diagnostics, [&](AxisSet) {
    candidates.push_back(assignment.values);
    return candidates.size() < count;
  });
  const FreeAxes free(*space);
  Query question = query_of(*space);
  question.outputs = {space->objective};
  question.constraints = true;
  CompiledProgram::Shared shared;
  std::vector<double> sample;
  for (const std::size_t axis : free.axes) sample.push_back(candidates.back()[axis]);
  const Trace trace = CompiledProgram::trace_or_refuse(*space->run, question, sample, shared);
  std::vector<Scalar> outputs = {trace.results[0]};
  for (const Trace::Check& check : trace.checks) outputs.push_back(trace.results[check.result]);
  const Kernel kernel(trace.tape, outputs);
  std::vector<std::vector<double>> in, out(outputs.size(), std::vector<double>(count));
  for (const std::size_t axis : free.axes) {
    std::vector<double>& column = in.emplace_back();
    for (const auto& values : candidates) column.push_back(values[axis]);
  }
  std::vector<const double*> from;
  std::vector<double*> to;
  for (const auto& column : in) from.push_back(column.data());
  for (auto& column : out) to.push_back(column.data());
  for (auto _ : state) {
    kernel.run(from, to, candidates.size());
    benchmark::ClobberMemory();
  }
  state.counters["instructions"] = static_cast<double>(kernel.instructions());
  state.counters["rate"] = benchmark::Counter(static_cast<double>(candidates.size()) * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(plain_blocks, calculon, calculon)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(plain_blocks, standard, [] { return standard("1024", "1", "false"); })->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace opledger
