#include "rules/rule_set.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "rules/node_index.h"
#include "schemas/document.h"
#include "tests/rules/setting.h"

using namespace opledger;
using namespace opledger::testing;

namespace {

using Words = std::vector<std::string>;

RuleSet read(const std::string& text) {
  Diagnostics diagnostics;
  auto datum = parse_document(std::make_shared<SourceFile>(SourceFile{"r.yaml", text}), diagnostics);
  RuleSet rules;
  REQUIRE(datum.has_value());
  CHECK(rules.add({"rules", "r", {}, *datum}, diagnostics));
  return rules;
}

/// Returns the labels of a block's nodes that a match selects.
Words matched(const std::string& match) {
  static const Derived d = derive({"mixtral", "layer", "{one: 1}", {}, {}, {}, {}, {}, {}, false, {}});
  RuleSet rules = read("recompute: [{match: " + match + "}]");
  Words labels;
  const Segment& segment = d.graph.segments.back();
  for (const NodeId n : segment.nodes()) {
    if (matches(rules.recompute[0].match, d.graph, n)) labels.push_back(d.graph.nodes[n].label);
  }
  return labels;
}

}  // namespace

TEST_CASE("an index selects the nodes that a comparison with every node selects, and lists rules by node in their order") {
  const Derived d = derive({"mixtral", "layer", "{one: 1}", {}, {}, {}, {}, {}, {}, false, {}});
  std::vector<std::string> names = {"nothing", "'*'", "'*.norm'", "'?orm'", "mlp*"}, operators = {"nothing", "linear", "l*", "[linear, add]", "[norm, a*]"};
  for (const NodeId n : d.graph.nodes.ids()) {
    for (const std::string& name : names_of_node(d.graph, n)) names.push_back(name);
    operators.push_back(d.graph.nodes[n].op->name);
  }
  std::string text = "recompute: [";
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string &name = names[i], &op = operators[i % operators.size()];
    text += "{match: {name: " + name + "}}, {match: {name: [" + name + ", " + names[(3 * i + 1) % names.size()] + "], op: " + op + "}}, {match: {op: " + op +
            ", without: expert}},\n";
  }
  const RuleSet rules = read(text + "{match: {with: hidden}}]");
  const NodeIndex index(d.graph);
  std::map<NodeId, std::vector<const RecomputeRule*>> by_node;
  std::size_t selected = 0;
  for (const RecomputeRule& rule : rules.recompute) {
    std::vector<NodeId> expected;
    for (const NodeId n : d.graph.nodes.ids()) {
      if (!matches(rule.match, d.graph, n)) continue;
      expected.push_back(n);
      by_node[n].push_back(&rule);
    }
    selected += expected.size();
    CHECK(index.nodes(rule.match) == expected);
    for (const NodeId n : d.graph.nodes.ids()) CHECK(index.selects(rule.match, n) == std::binary_search(expected.begin(), expected.end(), n));
  }
  CHECK(selected > names.size());
  const auto listed = index.by_node(rules.recompute);
  for (const NodeId n : d.graph.nodes.ids()) CHECK(listed[n] == by_node[n]);
}

TEST_CASE("rules are read as they are written") {
  RuleSet rules = read(
      "shard: [{\"batch, slot\": dp}, {heads: [tp, cp], kv_heads: {axis: tp, uneven: replicate, when: x > 1}}]\n"
      "nodes: [{match: {op: a}, freeze: seq, thaw: [b], avoid: tp, shard: [{seq: cp}]}]\n"
      "weights: [{keep: gathered, gradient: {sharded: f, reduced: [r]}}, {keep: node, stored: [dp, cp], gradient: dp}]\n"
      "mark: [{match: {op: a, axis: cp, collective: [all-gather, all-to-all]}, message: {algorithm: ring, n: 2}}]\nmerge: [[dp, cp]]\n");
  REQUIRE(rules.shard.size() == 3);
  CHECK(rules.shard[0].dimensions == Words{"batch", "slot"});
  CHECK(rules.shard[1].axes == Words{"tp", "cp"});
  CHECK(rules.shard[2].uneven == Uneven::replicate);
  CHECK(rules.shard[2].when != nullptr);
  CHECK(rules.shard[2].ref.text == "r.shard[1]");
  CHECK(rules.shard[2].ref.span.column == 30);
  CHECK(rules.nodes[0].freeze == Words{"seq"});
  CHECK(rules.nodes[0].avoid == Words{"tp"});
  CHECK(rules.nodes[0].shard[0].ref.text == "r.nodes[0]");
  CHECK(rules.weights[0].keep_gathered);
  CHECK(*rules.weights[0].reduced == Words{"r"});
  CHECK(*rules.weights[1].keep == Words{"node"});
  CHECK(rules.weights[1].reduced->empty());
  CHECK(rules.mark[0].axes == Words{"cp"});
  CHECK(rules.mark[0].collective == Words{"all-gather", "all-to-all"});
  REQUIRE(rules.mark[0].marks.size() == 2);
  CHECK(rules.mark[0].marks[1].name == "n");
  CHECK(rules.mark[0].marks[1].value == "2");
  CHECK(rules.merge[0].axes == Words{"dp", "cp"});
}

TEST_CASE("which nodes a rule speaks of") {
  CHECK(matched("{name: q*}") == Words{"q", "qr"});
  CHECK(matched("{name: block.o}") == Words{"o"});
  CHECK(matched("{op: [disp*, combine]}") == Words{"disp", "comb"});
  CHECK(matched("{op: linear, with: [expert, route]}") == Words{"router", "egate", "eup", "edown"});
  CHECK(matched("{op: silu, without: expert}") == Words{});
  CHECK(matched("{attribute: {over: route}}") == Words{"gates"});
  CHECK(matched("{segment: before}") == Words{});
  CHECK(matched("{op: topk, segment: block, block: layer}") == Words{"gates"});
  CHECK(matched("{tag: x}") == Words{});
}
