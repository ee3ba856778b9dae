#include "models/model.h"

#include <deque>
#include <vector>

#include "base/text.h"
#include "expr/printer.h"
#include "tests/support/documents.h"

namespace opledger {
namespace {

std::string input_text(const InputSpec& input) {
  std::string t = (input.port.empty() ? "" : input.port + "=") + input.tensor;
  for (const RenameSpec& rename : input.renames) t += "{" + rename.from + ":" + rename.to + "}";
  return t;
}

std::string node_text(const NodeSpec& node) {
  std::string t = node.name + " " + (node.op.empty() ? "block " + node.block : node.op);
  for (const InputSpec& input : node.inputs) t += " " + input_text(input);
  if (node.out) t += " -> [" + join(*node.out, " ") + "]";
  for (const auto& [port, target] : node.weights) t += " " + port + "~" + target;
  for (const auto& argument : node.arguments) t += " " + argument.first.text();
  if (!node.component.empty()) t += " (" + node.component + ")";
  for (const std::string& tag : node.tags) t += " #" + tag;
  if (node.when) t += " when " + to_source(*node.when);
  return t + "\n";
}

struct Reading {
  std::deque<Document> documents;
  Diagnostics diagnostics;
  std::optional<Model> model;

  explicit Reading(const std::vector<std::string>& texts) {
    std::vector<const Document*> pointers;
    for (const std::string& text : texts) pointers.push_back(&documents.emplace_back(document(text)));
    model = assemble_model(pointers, diagnostics);
  }
};

/// Returns the nodes of block `b`, or the messages.
std::string nodes(const std::string& list) {
  Reading reading({"{kind: blocks, name: b, blocks: {b: {nodes: " + list + "}}}"});
  if (!reading.model) return messages(reading.diagnostics);
  std::string text;
  for (const NodeSpec& node : reading.model->blocks.at("b").nodes) text += node_text(node);
  return text;
}

}  // namespace

TEST_CASE("blocks: nodes as they may be written") {
  const std::pair<std::string, std::string> cases[] = {
      {"[{name: q, op: f, in: x}]", "q f x\n"},
      {"[{name: q, op: f, in: [x, {k: {s: t}}]}]", "q f x k{s:t}\n"},
      {"[{name: q, op: f, in: {a: x, b: {k: {s: t}}}}]", "q f a=x b=k{s:t}\n"},
      {"[{name: q, op: f, in: [], out: [a, b]}]", "q f -> [a b]\n"},
      {"[{name: q, op: f, in: x, out: a}]", "q f x -> [a]\n"},
      {"[{name: q, op: f, weights: {w: a.b.c}, component: head, tags: [t, u]}]", "q f w~a.b.c (head) #t #u\n"},
      {"[{name: q, op: f, over: [h], m: 4 * h}]", "q f over m\n"},
      {"[{name: q, op: f, weights: m * n}]", "q f weights\n"},
      {"[{name: m, block: c, in: x, ffn: shared}]", "m block c x ffn\n"},
      {"[{name: q, op: f, when: a > 1}]", "q f when a > 1\n"},
      {"[{when: a, nodes: [{name: q, op: f}], else: [{name: q, op: g}]}]", "q f when a\nq g when not a\n"},
      {"[{when: a, nodes: [{when: b, nodes: [{name: q, op: f, when: c}]}]}]", "q f when a and b and c\n"},
      {"[{nodes: [{name: q, op: f}]}]", "q f\n"},
  };
  for (const auto& [list, expected] : cases) CHECK(nodes(list) == expected);
}

TEST_CASE("blocks: mistakes in nodes") {
  const std::pair<std::string, std::string> cases[] = {
      {"3", "nodes must be a list, found a number"},
      {"[3]", "a node must be a mapping, found a number"},
      {"[{op: f}]", "a node needs a `name`"},
      {"[{name: q}]", "node `q` needs an `op` or a `block`"},
      {"[{name: q, op: f, block: g}]", "node `q` needs either an `op` or a `block`, not both"},
      {"[{name: a.b, op: f}]", "`a.b` can't name a node: use letters, digits and _"},
      {"[{name: q, op: f, in: }]", "an input is the name of a tensor, or `{TENSOR: {DIMENSION: ITS_NAME_HERE}}`, found nothing"},
      {"[{name: q, op: f, in: [[x]]}]", "an input is the name of a tensor, or `{TENSOR: {DIMENSION: ITS_NAME_HERE}}`, found a list"},
      {"[{name: q, op: f, in: {k: {s: t}}}]", "an input is the name of a tensor, or `{TENSOR: {DIMENSION: ITS_NAME_HERE}}`, found a mapping"},
      {"[{nodes: [], else: []}]", "a group with `else` needs a `when`"},
      {"[{nodes: [], name: x}]", "unknown key `name` in a group of nodes; known keys: `else`, `nodes`, `doc`, `when`"},
      {"[{name: q, op: f, out: [[a]]}]", "expected the name of a dimension, found a list"},
  };
  for (const auto& [list, expected] : cases) {
    std::string found = nodes(list);
    std::string message = found.substr(found.find(": ") + 2);
    CHECK(message == expected + "\n");
  }
}

TEST_CASE("models: a later document replaces parameters and dimensions of its name, in their place") {
  Reading reading({"{kind: blocks, name: a, parameters: {p: 1, q: 2}, dimensions: {d: p, e: {size: q, unordered: true}}, grouped: {d: e}}",
                   "{kind: model, name: m, doc: D, parameters: {p: 3, r: 4}, dimensions: {d: r}, grouped: {d: f}}"});
  REQUIRE(messages(reading.diagnostics) == "");
  const Model& m = *reading.model;
  std::string text;
  for (const Definition& p : m.parameters) text += p.name + "=" + to_source(*p.otherwise) + " ";
  for (const auto& [name, spec] : m.dimensions) text += name + "=" + to_source(*spec.size) + (spec.unordered ? " unordered " : " ");
  for (const auto& [fine, coarse] : m.grouped) text += fine + ">" + coarse;
  CHECK(text == "p=3 q=2 r=4 d=r e=q unordered d>f");
  CHECK(m.name == "m");
  CHECK(m.doc == "D");
}

TEST_CASE("models: a parameter whose default is a text takes bare names as texts") {
  Reading reading(
      {"{kind: blocks, name: a, parameters: {p: \"'x'\", q: \"['x']\", r: y}}", "{kind: model, name: m, doc: D, parameters: {p: [u, 'v'], q: w, r: z}}"});
  REQUIRE(messages(reading.diagnostics) == "");
  std::string text;
  for (const Definition& p : reading.model->parameters) text += p.name + "=" + to_source(*p.otherwise) + " ";
  CHECK(text == "p=['u', 'v'] q='w' r=z ");
}

TEST_CASE("models: segments") {
  Reading reading({R"(kind: model
name: m
graph:
  - {name: a, block: x}
  - {name: b, block: y, repeat: layers - 1, in: {u: a, v: {a: {s: t}}}, weights: {l.w: a.t.w}, when: c, ffn: wide}
)"});
  REQUIRE(messages(reading.diagnostics) == "");
  const SegmentSpec& b = reading.model->graph[1];
  CHECK(b.name + " " + b.block + " " + to_source(*b.repeat) + " " + to_source(*b.when) == "b y layers - 1 c");
  CHECK(input_text(b.inputs[0]) + " " + input_text(b.inputs[1]) == "u=a v=a{s:t}");
  CHECK(b.weights == decltype(b.weights){{"l.w", "a.t.w"}});
  CHECK(b.arguments[0].first.text() == "ffn");
  CHECK(reading.model->graph[0].repeat == nullptr);
}

TEST_CASE("models: a number of a segment is a parameter of its own, grouped as the one that it replaces") {
  Reading reading({R"(kind: model
name: m
parameters: {kv_heads: 8, heads: 8, ffn: 3, ffn_6: 1, gated: true, share: 1}
grouped: {heads: kv_heads}
graph:
  - {name: a, block: x, kv_heads: 4, ffn: wide}
  - {name: b, block: x, kv_heads: 4, ffn: 6, gated: false, share: 0.25, unknown: 5}
)"});
  REQUIRE(messages(reading.diagnostics) == "");
  const Model& m = *reading.model;
  std::string text;
  for (const SegmentSpec& segment : m.graph) {
    for (const auto& [name, value] : segment.arguments) text += name.text() + ":" + value.text() + " ";
  }
  CHECK(text == "kv_heads:kv_heads_4 ffn:wide kv_heads:kv_heads_4 ffn:ffn_6_ gated:gated_false share:share_0_25 unknown:5 ");
  text.clear();
  for (const Definition& p : m.parameters) text += p.name + "=" + to_source(*p.otherwise) + " ";
  CHECK(text == "kv_heads=8 heads=8 ffn=3 ffn_6=1 gated=true share=1 kv_heads_4=4 ffn_6_=6 gated_false=false share_0_25=0.25 ");
  text.clear();
  for (const auto& [fine, coarse] : m.grouped) text += fine + ">" + coarse + " ";
  CHECK(text == "heads>kv_heads heads>kv_heads_4 ");
}

TEST_CASE("models: different numbers have different names") {
  Reading reading(
      {"{kind: model, name: m, parameters: {a: 1, a_1: 1}, graph: [{name: s, block: x, a: 1.5, a_1: 5}, {name: t, block: x, a: 1e+1}, "
       "{name: u, block: x, a: 1e-1}]}"});
  REQUIRE(messages(reading.diagnostics) == "");
  std::string text;
  for (const VariantSpec& variant : reading.model->variants) text += variant.name + ":" + variant.of + "=" + variant.text + " ";
  CHECK(text == "a_1_5:a=1.5 a_1_5_:a_1=5 a_1e_1:a=1e+1 a_1e_1_:a=1e-1 ");
}

TEST_CASE("models: mistakes") {
  const std::pair<std::string, std::string> cases[] = {
      {"blocks: {b: 3}", "1:13: block `b` must be a mapping, found a number\n"},
      {"graph: {a: b}", "1:8: `graph` must be a list of segments, found a mapping\n"},
      {"graph: [{block: b}]", "1:9: a segment needs a `name`\n"},
      {"graph: [{name: a}]", "1:16: segment `a` needs a `block`\n"},
      {"dimensions: {d: {sizes: 3}}", "1:18: dimension `d` has `size`, `round`, `unordered`, `mean`, `continues` and `load`, not `sizes`\n"},
      {"dimensions: [d]", "1:13: `dimensions` must be a mapping, found a list\n"},
      {"blocks: {b: {inputs: [x]}}", "1:22: expected a mapping of tensors to their dimensions, found a list\n"},
      {"blocks: {b: {component: [x]}}", "1:25: `component` must be text, found a list\n"},
      {"parameters: {p: {is: )}}", "1:22: expected a value, found `)`\n"},
  };
  for (const auto& [yaml, expected] : cases) {
    Reading reading({yaml});
    CHECK(messages(reading.diagnostics) == expected);
  }
}

TEST_CASE("models: a block of two documents is an error at the second") {
  Reading reading({"blocks: {b: {nodes: []}}", "blocks: {a: {nodes: []}, b: {nodes: []}}"});
  CHECK(messages(reading.diagnostics) == "1:26: block `b` is declared twice\n  1:10: first declared here\n");
}

}  // namespace opledger
