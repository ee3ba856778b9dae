#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <random>
#include <set>

#include "run/compiled_program.h"
#include "search/space/free_axes.h"
#include "search/space/space_reader.h"
#include "search/sweep/sweep.h"
#include "tests/paths.h"
#include "tests/schemas/temporary_folder.h"
#include "tests/search/rows.h"
#include "tests/search/space_case.h"
#include "tests/support/random_count.h"

/// Incremental tracing reuses evaluations of earlier candidates. Each trace must equal the trace of the candidate without history.
namespace opledger {
namespace {

std::optional<Space> read(const SpaceCase& c) {
  static Library library({source_folder()});
  Diagnostics diagnostics;
  std::optional<Space> out = read_space(request_of(c), library, diagnostics);
  REQUIRE_MESSAGE(out, render(diagnostics));
  return out;
}

/// Returns the feasible candidates as values of their free axes.
std::vector<std::vector<double>> candidates_of(Space& space, const FreeAxes& free) {
  SweepRequest request;
  Rows rows;
  list_into(request, rows);
  Diagnostics diagnostics;
  REQUIRE_MESSAGE(sweep(space, request, diagnostics), render(diagnostics));
  std::vector<std::vector<double>> out;
  for (const std::vector<double>& row : rows) out.push_back(free.of(row));
  return out;
}

Query everything(const Space& space) {
  Query out = query_of(space);
  for (const Published& p : space.run->program().published) out.outputs.push_back(p.name);
  out.constraints = true;
  return out;
}

void check_same(const CompiledProgram::Result& a, const CompiledProgram::Result& b, const Query& question) {
  CHECK(a.violation == b.violation);
  CHECK(a.reason == b.reason);
  for (std::size_t m = 0; m < a.outputs.size(); ++m) {
    const Value &x = a.outputs[m], &y = b.outputs[m];
    const bool same = x.kind == y.kind && x.unit == y.unit && std::bit_cast<std::uint64_t>(x.scalar.value) == std::bit_cast<std::uint64_t>(y.scalar.value);
    CHECK_MESSAGE(same, question.outputs[m], ": ", x.scalar.value, " behind others, ", y.scalar.value, " by itself");
  }
}

void check_recording(const SpaceCase& c, std::mt19937_64& random) {
  CAPTURE(c.model);
  std::optional<Space> space = read(c);
  const FreeAxes free(*space);
  const Query question = everything(*space);
  const std::vector<std::vector<double>> all = candidates_of(*space, free);
  REQUIRE(all.size() > 10);
  CompiledProgram::Shared shared;
  for (std::size_t i = 0; i < free.axes.size(); ++i) {
    std::set<double> values;
    for (const std::vector<double>& candidate : all) values.insert(candidate[i]);
    shared.candidates.values[space->axes[free.axes[i]].input] = {values.begin(), values.end()};
  }
  const auto some = [&]() -> const std::vector<double>& { return all[random() % all.size()]; };
  for (int i = 0; i < 12; i += 2 * testing::one_of(2)) {
    const std::vector<double>& candidate = some();
    CompiledProgram::Shared own;
    own.candidates.values = shared.candidates.values;
    const CompiledProgram incremental(CompiledProgram::trace_or_refuse(*space->run, question, candidate, shared));
    const CompiledProgram separate(CompiledProgram::trace_or_refuse(*space->run, question, candidate, own));
    CHECK(incremental.covers(candidate));
    CompiledProgram::Shared plain;
    plain.candidates.values = shared.candidates.values;
    Diagnostics diagnostics;
    const std::optional<Trace> numbers = CompiledProgram::numbers(*space->run, question, candidate, plain, diagnostics);
    REQUIRE_MESSAGE(numbers, render(diagnostics));
    check_same(CompiledProgram(*numbers).evaluate(std::vector<double>{}), separate.evaluate(candidate), question);
    check_same(incremental.evaluate(candidate), separate.evaluate(candidate), question);
    for (int k = 0; k < 12; ++k) {
      const std::vector<double>& other = some();
      CHECK(incremental.covers(other) == separate.covers(other));
      if (incremental.covers(other)) check_same(incremental.evaluate(other), separate.evaluate(other), question);
    }
  }
}

/// Returns the text of a model with many segments: a layer each.
std::string model_of(int layers, const std::string& end) {
  std::string out = "kind: model\nname: many" + std::to_string(layers) +
                    "\ndoc: Layers one by one.\nuses: [embeddings, decoder, heads]\nparameters: {layers: " + std::to_string(layers) +
                    ", hidden: 256, heads: 4, kv_heads: 4, ffn: 512, vocab: 3200, seq: 2048}\n"
                    "blocks:\n  counted_twice:\n    doc: A norm that counts its FLOPs twice.\n    inputs: {x: [batch, seq, hidden]}\n    nodes:\n"
                    "      - {name: norm, op: rmsnorm, in: x, over: hidden, component: norm, flops: {forward: 2 * inherited}}\ngraph:\n  - {name: embedding, "
                    "block: token_embedding}\n";
  for (int i = 0; i < layers; ++i) out += "  - {name: layer" + std::to_string(i) + ", block: llama_layer}\n";
  return out + end + "  - {name: head, block: rmsnorm_head}\n";
}

}  // namespace

TEST_CASE("incremental tracing agrees with separate tracing of a candidate") {
  std::mt19937_64 random(21);
  const std::vector<SpaceCase> cases = {
      {"standard", "llama-3-8b", "h100-80g-sxm", {{"processors", "64"}, {"batch_size", "96"}, {"widest_cp", "4"}, {"most_chunks", "3"}}},
      {"standard", "t5-base", "a100-80g-sxm", {{"processors", "16"}, {"batch_size", "48"}, {"offloads", "true"}, {"most_chunks", "2"}}},
      {"standard", "mixtral-8x7b", "h100-80g-sxm", {{"processors", "16"}, {"batch_size", "32"}, {"widest_ep", "4"}, {"most_chunks", "1"}, {"layers", "4"}}},
      {"calculon", "calculon/gpt3-175B", "calculon/a100_80g", {{"num_procs", "64"}, {"max_batch_size", "64"}}},
      {"serving", "llama-3-70b", "h200-141g-sxm", {{"processors", "16"}, {"layers", "8"}}},
      {"serving", "deepseek-v3", "h200-141g-sxm", {{"processors", "16"}, {"widest_ep", "8"}, {"deepest_pp", "2"}, {"layers", "6"}}},
      {"disaggregated", "mixtral-8x7b", "h200-141g-sxm", {{"processors", "8"}, {"layers", "4"}}},
  };
  for (const SpaceCase& c : testing::some_of(cases, 2)) check_recording(c, random);
}

TEST_CASE("sets that outgrow the cache's keys while a query fills them, and definitions of single nodes") {
  // Elements have 10 bits in keys at first: 26 layers have more messages and tensors than that.
  std::mt19937_64 random(5);
  const TemporaryFolder folder;
  const std::vector<std::pair<int, std::string>> models = {{26, ""}, {3, "  - {name: twice, block: counted_twice}\n"}};
  for (const auto& [layers, end] : testing::some_of(models, 2)) {
    const std::string model = folder.write("many" + std::to_string(layers) + ".yaml", model_of(layers, end));
    check_recording({"serving", model, "h200-141g-sxm", {{"processors", "4"}}}, random);
  }
}

TEST_CASE("words that are combined, and words that replace a parameter or an axis") {
  std::mt19937_64 random(9);
  const TemporaryFolder folder;
  const std::string model = folder.write("m.yaml", R"yaml(
kind: model
name: m
doc: Small.
uses: [embeddings, decoder, heads]
parameters: {layers: 4, hidden: 256, heads: 4, kv_heads: 4, ffn: 512, vocab: 3200, seq: 2048, mult: 2}
blocks:
  odd:
    doc: A norm that counts its FLOPs several times.
    inputs: {x: [batch, seq, hidden]}
    nodes: [{name: norm, op: rmsnorm, in: x, over: hidden, component: norm, flops: {forward: mult * inherited}}]
graph:
  - {name: embedding, block: token_embedding}
  - {name: layer, block: llama_layer, repeat: layers}
  - {name: odd, block: odd}
  - {name: head, block: rmsnorm_head}
)yaml");
  folder.write("combined.yaml", R"yaml(
kind: accounting
name: combined
extends: standard
inputs:
  a: {type: integer, min: 1, default: 2, doc: a size}
cases:
  course:
    one: {a: 3}
    short: {mult: if sequence_parallel then 3 else 5, a: 4}
    other: {like: short}
    all: {together: [short, other]}
metrics:
  z: {unit: flop, doc: z, is: "a * all.(sum(forward.flops over node))"
}
  y: {unit: flop, doc: y, is: "short.(sum(forward.flops over node))"}
)yaml");
  const std::string space = folder.write("space.yaml", R"yaml(
kind: search
name: space
doc: x.
accounting: combined.yaml
mesh: {pp: 1, dp: 1, tp: 1}
rules: [megatron]
axes:
  - a: 1, 2, 3
  - tp: 1, 2, 4
  - sequence_parallel: true, false where not it or tp > 1
maximize: z
)yaml");
  check_recording({space, model, "h100-80g-sxm", {{"batch_size", "16"}, {"microbatch_size", "1"}}}, random);
}

}  // namespace opledger
