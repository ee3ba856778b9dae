#include "graph/unread.h"

#include "tests/support/shapes.h"
#include "tests/support/workshop.h"

namespace opledger {
namespace {

/// Returns the warnings for a model with a block `b` of these nodes, and with further segments after the first one.
std::string warnings(const std::string& nodes, const std::string& segments = "{name: l, block: b, repeat: 2}") {
  const Workshop w(kOperators, kDimensions + R"(blocks:
  start: {data: {ids: [batch, seq]}, nodes: [{name: e, op: embedding, in: ids, rows: vocab, out: [batch, seq, hidden]}]}
  b: {inputs: {x: [batch, seq, hidden]}, nodes: [)" +
                                   nodes + R"(]}
  end: {inputs: {y: [batch, seq, hidden]}, data: {labels: [batch, seq]}, nodes: [{name: s, op: loss, in: [y, labels], over: hidden}]}
graph: [{name: s, block: start}, )" +
                                   segments + "]\n");
  REQUIRE_MESSAGE(w.good, render(w.diagnostics));
  Diagnostics diagnostics;
  warn_of_unread(w.graph, diagnostics);
  std::string text;
  for (const Diagnostic& d : diagnostics.all()) text += (d.severity == Severity::warning ? "" : "error ") + d.message + "\n";
  return text;
}

}  // namespace

TEST_CASE("unread: nodes whose work serves nothing") {
  const std::string last = "{name: r, op: point, in: x}";
  const std::pair<std::string, std::string> cases[] = {
      {last, ""},
      {"{name: a, op: point, in: x}, " + last, "nothing reads `l.a`: its work is counted all the same\n"},
      {"{name: a, op: linear, in: x, out: [batch, seq, ffn]}, " + last, "nothing reads `l.a`: its work and its weights are counted all the same\n"},
      {"{name: a, op: linear, in: x, out: [batch, seq, ffn]}, {name: c, op: point, in: a}, " + last, "nothing reads `l.c`: its work is counted all the same\n"},
      {"{name: r, op: drop, in: x}", ""},  // nobody reads the mask
      {"{name: r, op: point, in: x}, {name: a, op: choose, in: r, over: hidden}, {name: c, op: point, in: a.index}, {name: d, op: add, in: [x, r]}",
       "nothing reads `l.c`: its work is counted all the same\n"},
  };
  for (const auto& [nodes, expected] : cases) CHECK(warnings(nodes) == expected);
}

TEST_CASE("unread: what a model makes, and what goes from layer to layer, is meant to be unread") {
  const std::string node = "{name: r, op: point, in: x}";
  CHECK(warnings(node, "{name: l, block: b, repeat: 2}, {name: h, block: end}") == "");
  CHECK(warnings(node, "{name: l, block: b}, {name: side, block: end, in: {y: s}}, {name: m, block: b, in: {x: l}}") == "");  // a loss in the middle
  CHECK(warnings(node, "{name: l, block: b}, {name: h, block: end, in: {y: s}}") == "nothing reads `l.r`: its work is counted all the same\n");
}

}  // namespace opledger
