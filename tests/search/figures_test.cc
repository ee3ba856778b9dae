#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <random>

#include "formulas/formula_text.h"
#include "run/run.h"
#include "search/search.h"
#include "search/space/space_reader.h"
#include "search/sweep/sweep.h"
#include "tests/paths.h"
#include "tests/schemas/temporary_folder.h"
#include "tests/search/rows.h"
#include "tests/search/space_case.h"
#include "tests/support/random_count.h"

/// Compares every metric of a search with a run of the single candidate, bit for bit. The search evaluates blocks of candidates
/// and uses tables; the run does neither.
namespace opledger {
namespace {

Library& library() {
  static Library out({source_folder()});
  return out;
}

/// Returns a value as text for `--set`.
std::string written(const Space& space, std::size_t axis, double value) {
  const Type& type = space.axes[axis].input->type;
  if (type.kind == Type::Kind::boolean) return value != 0 ? "true" : "false";
  if (type.kind == Type::Kind::words) return space.run->program().set(type.set).words[static_cast<std::size_t>(value)];
  return type.unit.dimension.plain() ? exact(value) : exact(value) + " " + to_string(type.unit.dimension);
}

/// Returns the path of a document.
std::string near(const std::string& space, const std::string& name) {
  const bool path = name.find(".yaml") != std::string::npos;
  return path ? (std::filesystem::path(space).parent_path() / name).string() : name;
}

/// Returns the request of a candidate, with the settings of its space.
RunRequest single_request(const SpaceCase& c, Space& space, const std::vector<double>& values) {
  RunRequest out = request_of(c);
  for (std::size_t axis = 0; axis < space.axes.size(); ++axis) {
    const std::string& name = space.axes[axis].input->name;
    if (name == "system")
      out.system = near(c.space, written(space, axis, values[axis]));
    else
      out.overrides.emplace_back(name, written(space, axis, values[axis]));
  }
  Evaluator evaluator(space.run->program());
  for (const auto& [name, position] : space.order) {
    const Name* input = position < 0 ? space.run->program().find(name) : nullptr;
    const Answer answer = input != nullptr ? evaluator.ask(*input) : Answer{};
    const Value& v = answer.value;
    if (input != nullptr && answer.known())
      out.overrides.emplace_back(name, v.kind == Value::Kind::word    ? *v.text
                                       : v.kind == Value::Kind::truth ? (v.scalar.value != 0 ? "true" : "false")
                                                                      : exact(v.scalar.value));
  }
  return out;
}

/// Returns the published metrics with a unit, which are numbers.
std::vector<std::string> metrics_of(Space& space) {
  std::vector<std::string> out;
  for (const Published& p : space.run->program().published) {
    const Name* const name = p.metric;
    const Def* const def = name == nullptr || name->defs.empty() ? nullptr : name->defs[0];
    if (def != nullptr && def->unit) out.push_back(p.name);
  }
  return out;
}

bool same(double a, double b) { return (std::isnan(a) && std::isnan(b)) || a == b; }

void check(const SpaceCase& c, std::mt19937_64& random) {
  CAPTURE(c.model);
  Diagnostics diagnostics;
  std::optional<Space> space = read_space(request_of(c), library(), diagnostics);
  REQUIRE_MESSAGE(space, render(diagnostics));
  SweepRequest sweep_request;
  sweep_request.metrics = metrics_of(*space);
  REQUIRE(sweep_request.metrics.size() > 5);
  std::shuffle(sweep_request.metrics.begin(), sweep_request.metrics.end(), random);  // no value may depend on what was asked before
  Rows rows;
  list_into(sweep_request, rows);
  const std::optional<SweepResult> all = sweep(*space, sweep_request, diagnostics);
  REQUIRE_MESSAGE(all, render(diagnostics));
  REQUIRE(rows.size() > 20);
  for (int i = 0; i < 12; i += 2 * testing::one_of(3)) {
    const std::vector<double>& row = rows[random() % rows.size()];
    const std::unique_ptr<Run> run = Run::prepare(single_request(c, *space, row), library(), diagnostics);
    REQUIRE_MESSAGE(run != nullptr, render(diagnostics));
    CHECK(run->violations(diagnostics).empty());
    for (std::size_t m = 0; m < sweep_request.metrics.size(); ++m) {
      Diagnostics ignored;
      const std::optional<Value> single = run->value(sweep_request.metrics[m], ignored);
      const double found = row[space->axes.size() + m], expected = single && single->kind != Value::Kind::nothing ? single->scalar.value : std::nan("");
      CHECK_MESSAGE(same(found, expected), sweep_request.metrics[m], ": ", exact(found), " in the search, ", exact(expected), " alone");
    }
  }
}

}  // namespace

TEST_CASE("every metric of a search is that of the candidate alone, bit for bit") {
  std::mt19937_64 random(20);
  const auto on = [](const char* processors, const char* batch, std::vector<std::pair<std::string, std::string>> more = {}) {
    more.emplace_back("processors", processors);
    more.emplace_back("batch_size", batch);
    return more;
  };
  const std::vector<SpaceCase> cases = {
      {"standard", "llama-3-8b", "h100-80g-sxm", on("64", "96", {{"widest_cp", "4"}, {"zero", "1"}})},
      {"standard", "gemma-7b", "h100-80g-sxm", on("32", "64", {{"recompute", "full"}, {"most_chunks", "3"}})},
      {"standard", "deepseek-v3", "h100-80g-sxm",
       on("1024", "1024", {{"widest_ep", "64"}, {"tp", "1"}, {"zero", "1"}, {"most_chunks", "2"}, {"orders", "true"}})},
      {"standard", "mixtral-8x7b", "h100-80g-sxm", on("16", "32", {{"widest_ep", "2"}, {"widest_tp", "2"}, {"most_chunks", "1"}, {"layers", "4"}})},
      {"standard", "t5-base", "a100-80g-sxm", on("16", "48", {{"offloads", "true"}, {"zero", "0"}, {"most_chunks", "2"}})},
      {"calculon", "calculon/gpt3-175B", "calculon/a100_80g", {{"num_procs", "64"}, {"max_batch_size", "64"}}},
      {"serving", "llama-3-70b", "h200-141g-sxm", {{"processors", "16"}, {"tp", "1"}, {"most_decoding", "32"}}},
      {"disaggregated", "mixtral-8x7b", "h200-141g-sxm", {{"processors", "8"}, {"most_decoding", "32"}}},
  };
  for (const SpaceCase& c : testing::some_of(cases, 3)) check(c, random);
}

TEST_CASE("sizes of a model and fields of a system are axes like others") {
  const TemporaryFolder folder;
  folder.write("sizes.yaml", R"(
kind: search
name: sizes
doc: Which machine and which shape of a model go together.
accounting: standard
mesh: {pp: 1, dp: 1, tp: 1}
rules: [megatron]
inputs:
  processors: {type: integer, min: 1, doc: how many there are}
axes:
  - layers: 8, 10, 16
  - hidden: 1024, 2048, 2112
  - ffn: 3 * hidden, 3.5 * hidden
  - system.networks[0].size: 4, 8
  - system.networks[1].bandwidth: system.networks[0].bandwidth / 9, 50 GB/s
  - system.processors.matrix.peak.bf16: 300 Tflop/s, 989.4 Tflop/s
  - system.memory.capacity: 20 GiB, 80 GiB where it > 30 GiB or system.processors.matrix.peak.bf16 < 500 Tflop/s
  - system.combine: roofline, no_overlap
  - tp: divisors(processors) where it <= system.networks[0].size
  - pp: divisors(processors // tp)
  - dp: processors // (tp * pp) where batch_size % it == 0
  - microbatch_size: 1, 2 where batch_size % (it * dp) == 0
maximize: tokens_per_second
)");
  std::mt19937_64 random(21);
  check({(folder.path() / "sizes.yaml").string(), "llama-3-8b", "h100-80g-sxm", {{"processors", "32"}, {"batch_size", "32"}}}, random);
}

TEST_CASE("a system is an axis like others, by name") {
  const TemporaryFolder folder;
  folder.write("small.yaml", R"(
kind: system
name: small
processors:
  matrix: {peak: {fp32: 10 Tflop/s, tf32: 50 Tflop/s, bf16: 100 Tflop/s, fp16: 100 Tflop/s, fp8: 0}, efficiency: 0.7}
  vector: {peak: {fp32: 10 Tflop/s, tf32: 10 Tflop/s, bf16: 20 Tflop/s, fp16: 20 Tflop/s, fp8: 0}, efficiency: [[1 Mflop, 0.9], [0, 0.3]]}
memory: {capacity: 48 GiB, bandwidth: 900 GB/s, efficiency: 0.8}
networks: [{name: all, size: 65536, bandwidth: 12.5 GB/s, efficiency: 0.8, latency: 5 us}]
combine: roofline
)");
  folder.write("machines.yaml", R"(
kind: search
name: machines
doc: Which machine is the best.
accounting: standard
mesh: {dp: 1, tp: 1}
rules: [megatron]
axes:
  - system: h100-80g-sxm, a100-80g-sxm, small.yaml
  - tp: 1, 2, 4, 8 where it <= system.networks[0].size
  - dp: 16 // tp
  - microbatch_size: 1, 2, 4
  - system.kernel_latency: 0, 10 us
maximize: tokens_per_second
)");
  std::mt19937_64 random(22);
  const SpaceCase machines{(folder.path() / "machines.yaml").string(), "llama-3-8b", "", {{"batch_size", "64"}}};
  check(machines, random);
  Diagnostics diagnostics;
  for (const auto& [system, count] : {std::pair{"", 3}, {"a100-80g-sxm", 1}}) {
    RunRequest one = request_of(machines);
    one.system = system;
    const std::optional<Space> space = read_space(one, library(), diagnostics);
    REQUIRE_MESSAGE(space, render(diagnostics));
    CHECK(space->axes[0].items.size() == static_cast<std::size_t>(count));
  }
}

}  // namespace opledger
