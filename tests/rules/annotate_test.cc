#include "rules/annotate.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/rules/figures.h"

using namespace opledger;
using namespace opledger::testing;

namespace {

bool has(const Derived& d, const std::string& line) {
  std::vector<std::string> lines = figures(d);
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

Derived derived(const std::string& text, const std::string& rules = {}) {
  Setting setting = parse_setting(text);
  setting.extra_rules = rules;
  Derived d = derive(setting);
  REQUIRE_MESSAGE(d.derived, render(d.diagnostics));
  return d;
}

/// Returns the derived annotations as text, without numbers.
std::string structure(const Derived& d) {
  std::string text;
  auto axes = [&](const AxisList& list) { return "(" + d.annotations.mesh.describe(list) + ")"; };
  for (const NodePlacement& node : d.annotations.nodes) {
    for (const auto& entry : node.axes) text += d.graph.name(entry.first) + axes(entry.second) + " ";
    text += axes(node.consumed) + "\n";
  }
  for (const Transfer& t : d.annotations.transfers) text += std::string(to_string(t.kind)) + axes(t.axes) + t.name + "\n";
  for (const Saved& s : d.annotations.saved) text += std::to_string(s.tensor.number()) + axes(s.placement.partial) + "\n";
  return text;
}

}  // namespace

TEST_CASE("the structure does not depend on degrees and sizes") {
  for (const char* rules : {"megatron", "megatron ulysses zero_1", "megatron_kv megatron zero_3", "megatron ring recompute_full"}) {
    CAPTURE(rules);
    std::string rest = std::string(" | ") + rules + " | sequence_parallel ";
    std::string one = structure(derived("llama layer | {pp: 1, dp: 1, cp: 1, tp: 1}" + rest));
    CHECK(one == structure(derived("llama layer | {pp: 4, dp: 2, cp: 2, tp: 16}" + rest + "batch=8")));
    CHECK(one == structure(derived("llama layer | {pp: 4, dp: 2, cp: 8, tp: 1}" + rest + "kv_heads=64 seq=4096")));
  }
}

TEST_CASE("recomputation repeats the small reductions of forward") {
  Derived d = derived("llama qknorm | {tp: 8} | megatron recompute_full |");
  CHECK(has(d, "recompute all-reduce tp | qn.square | batch seq | 32768 sent 57344 per microbatch megatron.shard[2]"));
}

TEST_CASE("what recomputation drops is made again where it was made, and gathered again for who reads it") {
  const std::string setting = "llama layer | {tp: 8} | megatron | sequence_parallel", match = "recompute: [{match: {op: [rmsnorm, silu, multiply]}";
  const double norm = 2.0 * 8192 * 8192, elements = 2.0 * 8192 * 28672 / 8;  // bytes of one gathered norm; bytes of one node between the products
  const Derived all = derived(setting), kept = derived(setting, match + "}]"), dropped = derived(setting, match + ", outputs: dropped}]");
  CHECK(all.saved_bytes(false) - kept.saved_bytes(false) == elements);  // the product is read outside, and so are the norms
  CHECK(all.saved_bytes(false) - dropped.saved_bytes(false) == 2 * norm + 2 * elements);
  CHECK(dropped.saved_bytes(true) == 2 * norm / 8 + 2 * elements);
  const std::string again = "wgrad all-gather tp | n1 (again) | batch seq hidden | 134217728 sent 117440512 per microbatch megatron.shard[3]";
  CHECK_FALSE(has(all, again));
  CHECK(has(dropped, again));
  CHECK(figures(dropped).size() == figures(all).size() + 2);
  for (const std::string& line : figures(dropped)) CHECK(line.find("recompute") == std::string::npos);  // recomputed nodes communicate nothing
}

TEST_CASE("what recomputation drops is kept where it is a partial sum") {
  const Derived all = derived("mixtral layer | {tp: 2} | megatron | batch=4"),
                dropped = derived("mixtral layer | {tp: 2} | megatron | batch=4", "recompute: [{match: {name: edown}, outputs: dropped}]");
  CHECK(all.saved_bytes(false) == dropped.saved_bytes(false));
}

TEST_CASE("a partial output is settled for the next segment") {
  Derived d = derived("mistral attention | {tp: 2} | megatron |");
  CHECK(has(d, "forward all-reduce tp | o | batch seq hidden | 268435456 sent 268435456 per microbatch megatron.shard[2]"));
}

TEST_CASE("a loss stays where it is") {
  Derived d = derived("gpt3 head | {dp: 4} | megatron | batch=4");
  CHECK(figures(d).size() == 2);  // the saved tensors, and the gradients of the weights
}

TEST_CASE("a rule after another overrides it key by key") {
  Derived d = derived("gpt3 flash | {dp: 2} | megatron zero_3 | batch=2", "weights: [{match: {op: layernorm}, stored: []}]");
  CHECK(has(d, "forward all-gather dp | 6 weights |  | 3623878656 sent 1811939328 per microbatch"));
  CHECK(has(d, "optimizer all-gather dp | 4 weights |  | 98304 sent 49152 per step"));
}

TEST_CASE("a copy that only axes of one rank tell from another is counted once") {
  const char* rules = "{shard: [{seq: [cp, tp]}], nodes: [{match: {name: fc1}, avoid: cp}], activations: [{match: {}, keep: gathered}]}";
  CHECK(derived("gpt3 layer | {cp: 2, tp: 2} |  |", rules).saved_bytes(false) > derived("gpt3 layer | {cp: 1, tp: 4} |  |", rules).saved_bytes(false));
  CHECK(derived("gpt3 layer | {cp: 1, tp: 4} |  |", rules).saved_bytes(false) == derived("gpt3 layer | {tp: 4} |  |", rules).saved_bytes(false));
}

TEST_CASE("layers on different stages hand on the output of a segment as it lies between segments") {
  Setting setting = parse_setting("gpt3 flash | {pp: 4, tp: 8} | megatron | sequence_parallel");
  setting.repeat = true;
  Derived d = derive(setting);
  REQUIRE(d.derived);
  CHECK(has(d, "forward point-to-point pp | x | batch seq hidden / tp | 6291456 sent 6291456 per microbatch megatron.shard[8]"));
  CHECK(has(d, "agrad point-to-point pp | d x | batch seq hidden / tp | 6291456 sent 6291456 per microbatch megatron.shard[8]"));
  CHECK(d.annotations.mesh.describe(d.annotations.layers) == "pp");
}

TEST_CASE("a mark says something of a collective and changes nothing else") {
  std::string rules = "mark: [{match: {op: linear, axis: [dp, cp], collective: reduce-scatter}, message: {algorithm: tree}}]";
  Derived plain = derived("llama layer | {dp: 2} | megatron zero_2 | batch=2"), lowered = derived("llama layer | {dp: 2} | megatron zero_2 | batch=2", rules);
  CHECK(has(plain, "wgrad reduce-scatter dp | 9 weights |  | 1711308800 sent 855654400 per microbatch"));
  CHECK(has(lowered, "wgrad tree reduce-scatter dp | 7 weights |  | 1711276032 sent 855638016 per microbatch"));
  Derived over_any =
      derived("llama layer | {dp: 2} | megatron zero_2 | batch=2", "mark: [{match: {op: linear, collective: reduce-scatter}, message: {algorithm: tree}}]");
  CHECK(has(over_any, "wgrad tree reduce-scatter dp | 7 weights |  | 1711276032 sent 855638016 per microbatch"));
}
