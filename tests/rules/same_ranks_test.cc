#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "accounting/graph_engine.h"
#include "tests/rules/oracle.h"
#include "tests/rules/random_rules.h"
#include "tests/support/random_count.h"

/// Derivations must not depend on names and cuts of axes if ranks hold equal elements. Random rules run on a mesh, and
/// on an equivalent mesh in other words. OPLEDGER_FUZZ_COUNT sets the number of runs.

using namespace opledger;
using namespace opledger::testing;

namespace {

struct Pair {
  const char *plain, *other;
  std::vector<std::vector<std::string>> axes;  ///< Names that one rule may list together; names that `plain` lacks have one rank in `other`.
  std::vector<std::string> ways;
};

const std::vector<std::string> kAll = {"replicate", "part", "skip", "pad"};
/// `skip` may use a single part of an axis although the whole axis does not divide.
const std::vector<std::string> kWhole = {"replicate", "part", "pad"};

const std::vector<Pair>& pairs() {
  static const std::vector<Pair> all = {
      // an axis in parts
      {"{a: 4}", "{a: {ax: 1, ay: 4}}", {{"a"}}, kAll},
      {"{a: 4, b: 2}", "{a: {ax: 4, ay: 1}, b: {bx: 1, by: 2}}", {{"a", "b"}}, kAll},
      {"{a: 4, b: 2}", "{a: {ax: 2, ay: 2}, b: 2}", {{"a", "b"}}, kWhole},
      {"{a: 8}", "{a: {ax: 2, ay: 4}}", {{"a"}}, kWhole},
      {"{a: 2, b: 8}", "{a: 2, b: {bx: 4, by: 2}}", {{"a", "b"}}, kWhole},
      // axes of one rank, anywhere
      {"{a: 2}", "{o: 1, a: 2}", {{"a", "o"}}, kAll},
      {"{a: 4}", "{a: 4, o: 1, p: 1}", {{"a", "o", "p"}}, kAll},
      {"{a: 2, b: 2}", "{a: 2, o: 1, b: 2}", {{"a", "b", "o"}}, kAll},
      {"{a: 2, b: 4}", "{p: 1, a: 2, o: 1, b: 4}", {{"a", "b", "o", "p"}}, kAll},
      {"{a: 2, b: 2, c: 2}", "{a: 2, o: 1, b: 2, c: 2}", {{"a", "b", "c", "o"}}, kAll},
      // parts of one rank that rules name
      {"{a: 4, b: 2}", "{a: 4, o: {ox: 1, b: 2}}", {{"a", "ox", "b"}}, kAll},
      // other names for an axis
      {"{a: 4, b: 2}", "{x: 4, y: 2, a: [x], b: [y]}", {{"a", "b"}}, kAll},
  };
  return all;
}

Setting next(RuleGenerator& random, const Pair& pair) {
  const Subject& subject = random.subject();
  Setting setting;
  setting.model = subject.model;
  setting.block = subject.block;
  setting.extra_rules = random.rules(subject, pair.axes, pair.ways);
  static const char* const kWeights[] = {"", "optimizer: a", "{stored: a, optimizer: a, gradient: a}"};
  const std::string weights = kWeights[random.below(3)];
  if (!weights.empty()) setting.extra_rules += "weights: [{" + std::string(weights[0] == '{' ? weights.substr(1) : weights + "}") + "]\n";
  if (random.below(3) == 0) setting.extra_rules += "activations: [{match: {}, keep: sharded}]\n";
  if (random.below(3) == 0) setting.extra_rules += "recompute: [{match: {op: [linear, rmsnorm, topk]}}]\n";
  if (random.below(2) == 0) setting.extra_rules += "fuse: [{match: {op: linear}, by: input}, {match: {}}]\n";
  if (random.below(2) == 0)
    setting.extra_rules += fmt::format("mark: [{{match: {{axis: {}}}, message: {{algorithm: ring}}}}]\n", random.below(2) == 0 ? "a" : "[a, b]");
  return tiny(setting, 4);
}

/// Returns the bytes that one rank sends and keeps, by kind, by reader, by producer and for marked messages, and the kernel of each node.
std::map<std::string, double> cost(const Derived& d) {
  std::map<std::string, double> out;
  for (const Transfer& t : d.annotations.transfers) {
    if (d.ranks(t.axes) <= 1) continue;
    const std::string sent = fmt::format("{} {} {}", to_string(t.phase), to_string(t.cadence), to_string(t.kind));
    out[sent] += d.sent_bytes(t);
    if (!t.marks.empty()) out[sent + " marked"] += d.sent_bytes(t);
    for (const NodeId n : t.readers) out[sent + " for " + d.graph.nodes[n].name] += d.sent_bytes(t);
    for (const NodeId n : t.makers) out[sent + " of " + d.graph.nodes[n].name] += d.sent_bytes(t);
  }
  for (const NodeId n : d.graph.nodes.ids()) out["kernel of " + d.graph.nodes[n].name] = static_cast<double>(d.annotations.kernels[n].number());
  out["kept"] = d.saved_bytes(false);
  out["made again"] = d.saved_bytes(true);
  for (const WeightId w : d.graph.weights.ids()) {
    const DimList& dims = d.graph.weights[w].dims;
    const WeightPlacement& p = d.annotations.weights[w];
    out["computed with"] += d.elements(dims, p.compute);
    out["stored"] += d.elements(dims, p.stored);
    out["gradients"] += d.elements(dims, p.gradient);
    out["optimizer"] += d.elements(dims, p.optimizer);
  }
  return out;
}

std::string different(const std::map<std::string, double>& a, const std::map<std::string, double>& b) {
  std::string out;
  for (const auto* side : {&a, &b}) {
    for (const auto& [what, _] : *side) {
      const auto x = a.find(what), y = b.find(what);
      const double left = x == a.end() ? 0 : x->second, right = y == b.end() ? 0 : y->second;
      if (std::abs(left - right) > 1e-9 * std::max(left, right)) out += fmt::format("{}: {} and {}\n", what, left, right);
    }
  }
  return out;
}

}  // namespace

TEST_CASE("a mesh in other words costs the same") {
  RuleGenerator random(3);
  const int count = random_count(1200, 100);
  int wrong = 0, derived = 0;
  for (int i = 0; i < count && wrong < 5; ++i) {
    const Pair& pair = pairs()[random.below(pairs().size())];
    Setting plain = next(random, pair), other = plain;
    plain.mesh = pair.plain;
    other.mesh = pair.other;
    const Derived p = derive(plain), o = derive(other);
    const std::string rules = fmt::format("{}.{} {} {}\n{}", plain.model, plain.block, plain.mesh, other.mesh, plain.extra_rules);
    CHECK_MESSAGE(p.derived == o.derived, rules << render(p.diagnostics) << render(o.diagnostics));
    if (!p.derived || !o.derived) continue;
    ++derived;
    const std::string differences = different(cost(p), cost(o));
    if (differences.empty()) continue;
    ++wrong;
    FAIL_CHECK((rules + differences));
  }
  CHECK(derived > count / 2);
}
