#include "expr/parser.h"
#include "graph/build.h"
#include "tests/support/shapes.h"
#include "tests/support/workshop.h"

namespace opledger {
namespace {

/// Returns the messages, a line each, without positions.
std::string bare(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& d : diagnostics.all()) text += d.message + "\n";
  return text;
}

const std::string kStart = "  start: {data: {ids: [batch, seq]}, nodes: [{name: e, op: embedding, in: ids, rows: vocab, out: [batch, seq, hidden]}]}\n";

std::string model(const std::string& blocks, const std::string& graph) {
  Workshop w(kOperators, kDimensions + "blocks:\n" + kStart + blocks + "\ngraph: [{name: s, block: start}" + graph + "]\n",
             [](const ExprPtr& condition) { return condition->text != "never"; });
  CHECK_FALSE(w.good);
  return bare(w.diagnostics);
}

/// Returns the messages for a block `b` with an input x [batch seq hidden] and a node n that copies it.
std::string with_nodes(const std::string& list) {
  return model("  b: {inputs: {x: [batch, seq, hidden]}, nodes: [{name: n, op: point, in: x}, " + list + "]}\n" +
                   "  c: {inputs: {y: [batch, seq, hidden]}, nodes: [{name: up, op: linear, in: y, out: [batch, seq, ffn]}]}\n  none: {nodes: []}\n"
                   "  twice: {inputs: {y: [batch, seq, hidden]}, nodes: [{name: p, op: point, in: y}, {name: q, op: point, in: y}]}",
               ", {name: l, block: b}");
}

std::string graph(const std::string& segments) {
  return model("  c: {inputs: {y: [batch, seq, hidden]}, nodes: [{name: up, op: linear, in: y, out: [batch, seq, ffn]}]}\n  idle: {nodes: []}", segments);
}

}  // namespace

TEST_CASE("build: mistakes at nodes") {
  const std::pair<std::string, std::string> cases[] = {
      {"{name: a, op: liner, in: x}", "unknown operator `liner` (did you mean `linear`?)"},
      {"{name: a, block: d, in: x}", "unknown block `d`"},
      {"{name: a, op: point, in: m}", "unknown tensor `m` in block `b`"},
      {"{name: alpha, op: point, in: alpah}", "unknown tensor `alpah` in block `b` (did you mean `alpha`?)"},
      {"{name: a, op: drop, in: x}, {name: d, op: point, in: a.mas}", "`a` (drop) has no output `mas` (did you mean `mask`?)"},
      {"{name: a, block: c, in: x}, {name: d, op: point, in: a.down}", "unknown tensor `down` in block `c`"},
      {"{name: a, block: none}, {name: d, op: point, in: a}", "block `none` (`a`) has no output"},
      {"{name: a, op: plain, m: 1, n: 1}, {name: d, op: point, in: a}", "node `a` has no output: `plain` works on no tensors"},
      {"{name: a, op: linear, in: x, out: [batch, seq, fnn]}",
       "unknown dimension `fnn` (did you mean `ffn`?); known dimensions: `ffn`, `inner`, `seq`, `slot`, `batch`, `heads` and 14 more"},
      {"{name: a, op: norm, in: x, over: hiden}",
       "unknown dimension `hiden` (did you mean `hidden`?); known dimensions: `hidden`, `choice`, `ffn`, `heads`, `inner`, `seq` and 14 more"},
      {"{name: a, op: norm, in: x}", "node `a` lacks `over`, an attribute (a list of dimensions) of `norm`"},
      {"{name: a, op: windowed, in: x}", "node `a` lacks `window`, an attribute of `windowed`"},
      {"{name: a, op: plain, m: 1}", "node `a` lacks `n`, a parameter of `plain`"},
      {"{name: n, op: point, in: x}", "block `b` has two tensors called `n`"},
      {"{name: x, op: point, in: n}", "block `b` has two tensors called `x`"},
      {"{name: a, op: point, in: d}, {name: d, op: point, in: a}", "cycle: a -> d -> a"},
      {"{name: a, op: point, in: a}", "cycle: a -> a"},
      {"{name: a, op: add, in: [x, up]}, {name: up, op: linear, in: x, out: [batch, seq, ffn]}",
       "input `b` of node `a` has dimensions [batch seq ffn], but `add` expects [batch seq hidden]: if they are the same, rename on the edge, as in `{up: "
       "{ffn: hidden}}`"},
      {"{name: up, op: linear, in: x, out: [batch, ffn]}, {name: a, op: add, in: [x, up]}",
       "input `b` of node `a` has dimensions [batch ffn], but `add` expects [batch seq hidden]"},
      {"{name: g, op: linear, in: x, out: [batch, ffn]}, {name: a, op: times, in: [x, g]}",
       "input `b` of node `a` has dimensions [batch ffn], but `times` expects [batch seq hidden], or some of them"},
      {"{name: a, op: linear, in: x, out: [batch, seq, seq]}",
       "output `y` of node `a` has dimension `seq` twice: rename one of them on the edge it comes by, as in `{TENSOR: {seq: OTHER}}`"},
      {"{name: a, op: point, in: [{x: {seq: batch}}]}", "`x` has dimension `batch` twice after this edge: rename it to another dimension"},
      {"{name: a, op: point, in: [{x: {sq: kv_seq}}]}", "`x` [batch seq hidden] has no dimension `sq` to rename (did you mean `seq`?)"},
      {"{name: a, op: point, in: [{x: {seq: kv_sq}}]}",
       "unknown dimension `kv_sq` (did you mean `kv_seq`?); known dimensions: `kv_seq`, `seq`, `v_dim`, `batch`, `ffn`, `heads` and 14 more"},
      {"{name: a, op: linear, in: x}", "node `a` lacks `out`, the dimensions of output `y` of `linear`"},
      {"{name: a, op: point, in: x, out: [batch]}", "node `a` gives `out`, but the dimensions of `point` follow from its inputs"},
      {"{name: a, op: plain, m: 1, n: 1, out: [batch]}", "node `a` gives `out`, but `plain` has no output"},
      {"{name: a, block: c, in: x, out: [batch]}", "`a` gives `out`, but block `c` computes its own output"},
      {"{name: a, op: linear, in: x, out: [batch, seq, hidden]}", "weight `w` of node `a` has no dimensions: does `out` differ from the input?"},
      {"{name: a, op: point, in: [x, n]}", "node `a` has 2 inputs, but `point` takes 1"},
      {"{name: a, op: plain, m: 1, n: 1, in: x}", "node `a` has 1 input, but `plain` takes none"},
      {"{name: a, op: add, in: x}", "node `a` lacks input `b` of `add`"},
      {"{name: a, op: core, in: {q: x, keys: x, v: x}}", "`core` has no input `keys`; known inputs: `k`, `q`, `v`"},
      {"{name: a, block: c}", "node `a` lacks input `y` of block `c`"},
      {"{name: a, block: twice}", "node `a` lacks input `y` of block `twice`"},
      {"{name: a, block: twice, in: {z: x}}", "block `twice` has no input `z`; known inputs: `y`"},
      {"{name: a, block: c, in: [x, n]}", "node `a` has 2 inputs, but block `c` takes 1"},
      {"{name: up, op: linear, in: x, out: [batch, seq, ffn]}, {name: a, block: c, in: up}",
       "input `y` of block `c` has dimensions [batch seq ffn], but the block expects [batch seq hidden]: if they are the same, rename on the edge, as in `{up: "
       "{ffn: hidden}}`"},
      {"{name: a, block: b, in: x}", "cycle: b -> b"},
      {"{name: a, block: c, in: x, fnn: ffn}",
       "block `c` has no dimension or parameter `fnn` (did you mean `ffn`?); known dimensions: `ffn`, `inner`, `seq`, `slot`, `batch`, `heads` and 14 more"},
      {"{name: a, block: c, in: x, ffn: shared_fnn}",
       "unknown dimension `shared_fnn` (did you mean `shared_ffn`?); known dimensions: `shared_ffn`, `head_dim`, `hidden`, `state`, `ffn`, `heads` and 14 "
       "more"},
      {"{name: a, block: c, in: x, ffn: [ffn]}", "`ffn` of block `c` must be the name of a dimension or parameter, found a list"},
      {"{name: a, op: linear, in: x, out: [batch, seq, vocab], weights: {w: s.e.tabel}}", "unknown weight `s.e.tabel` (did you mean `s.e.table`?)"},
      {"{name: a, op: linear, in: x, out: [batch, seq, vocab], weights: {v: s.e.table}}", "`a` (linear) has no weight `v`; known weights: `w`"},
      {"{name: a, op: linear, in: x, out: [batch, seq, ffn], weights: {w: s.e.table}}",
       "weight `l.a.w` [hidden ffn] can't be `s.e.table` [vocab hidden]: their dimensions differ"},
      {"{name: a, op: linear, in: x, out: [batch, seq, ffn], weights: {w: d.w}}, {name: d, op: linear, in: x, out: [batch, seq, ffn], weights: {w: a.w}}",
       "cycle: l.a.w -> l.d.w -> l.a.w"},
      {"{name: a, block: c, in: x, weights: {up.v: s.e.table}}", "block `c` has no weight `up.v`"},
      {"{name: a, op: loss, in: [x, ids], over: hidden}", "unknown tensor `ids` in block `b`"},
      {"{name: a, op: point, in: x, else: x}", "node `a`: `else` needs a `when`"},
      {"{name: a, op: point, in: x, when: never, else: y}, {name: d, op: point, in: a}", "unknown tensor `y` in block `b`"},
      {"{name: a, op: drop, in: x, when: never, else: x}, {name: d, op: point, in: a.mask}", "`a.mask` does not exist here: `a` is replaced by `x`"},
      {"{name: n, op: drop, in: x, when: never, else: x}", "block `b` has two tensors called `n`"},
      {"{name: a, op: point, in: x, when: never, else: d}, {name: d, op: point, in: x, when: never, else: a}, {name: f, op: point, in: d}",
       "cycle: block `b` reads its own output through `a`"},
  };
  for (const auto& [list, expected] : cases) CHECK(with_nodes(list) == expected + "\n");
}

TEST_CASE("build: mistakes at segments") {
  const std::pair<std::string, std::string> cases[] = {
      {", {name: a, block: d}", "unknown block `d`"},
      {", {name: s, block: c}", "two segments are called `s`"},
      {", {name: a, block: c, in: [z]}", "unknown segment `z`"},
      {", {name: a, block: c, in: [b]}, {name: b, block: c, in: [s]}", "segment `a` reads segment `b`, which does not come before it"},
      {", {name: a, block: c, in: [s, s]}", "segment `a` has 2 inputs, but block `c` takes 1"},
      {", {name: a, block: c, in: {x: s}}", "block `c` has no input `x`; known inputs: `y`"},
      {", {name: a, block: idle, in: {x: s}}", "segment `a` has 1 input, but block `idle` takes none"},
      {", {name: a, block: c}, {name: b, block: c}", "input `y` of segment `b` has dimensions [batch seq hidden], but segment `a` gives [batch seq ffn]"},
      {", {name: a, block: idle}, {name: b, block: c}", "segment `b` reads segment `a`, which has no output"},
      {", {name: a, block: c, repeat: 2}", "segment `a` repeats, but its output `up` [batch seq ffn] can't be its input `y` [batch seq hidden]"},
      {", {name: a, block: c, fnn: ffn}",
       "block `c` has no dimension or parameter `fnn` (did you mean `ffn`?); known dimensions: `ffn`, `inner`, `seq`, `slot`, `batch`, `heads` and 14 more"},
      {", {name: a, block: c, weights: {up.w: s.e.table}}", "weight `a.up.w` [hidden ffn] can't be `s.e.table` [vocab hidden]: their dimensions differ"},
      {", {name: a, block: c, weights: {w: s.e.table}}", "block `c` has no weight `w`"},
      {", {repeat: 2, segments: [{name: a, block: c}]}",
       "segment `a` ends a round of its group, but its output `up` [batch seq ffn] can't be the input `y` [batch seq hidden] of `a`"},
      {", {segments: [{name: a, block: c}]}", "a group of segments needs a `repeat`: how often they take turns"},
      {", {repeat: 2, segments: [{name: a, block: c}], block: c}",
       "unknown key `block` in a group of segments; known keys: `doc`, `when`, `repeat`, `segments`"},
      {", {repeat: 2, segments: c}", "`segments` must be a list of segments, found text"},
  };
  for (const auto& [segments, expected] : cases) CHECK(graph(segments) == expected + "\n");
}

TEST_CASE("build: every part of a segment refuses sources if its block has no inputs") {
  Diagnostics diagnostics;
  LayerPart first;
  first.name = "first";
  first.layers = parse_expression("1", {}, diagnostics);
  const std::string text = "blocks:\n" + kStart + "  idle: {nodes: []}\ngraph: [{name: s, block: start}, {name: a, block: idle, in: {x: s}, repeat: 2}]\n";
  Workshop w(kOperators, kDimensions + text, [](const ExprPtr&) { return true; }, {first});
  CHECK(bare(w.diagnostics).find("segment `a` has 1 input, but block `idle` takes none\n") == 0);
}

TEST_CASE("build: mistakes at blocks") {
  const std::pair<std::string, std::string> cases[] = {
      {"  b: {inputs: {x: [batch, seq, hiden]}, nodes: []}",
       "unknown dimension `hiden` (did you mean `hidden`?); known dimensions: `hidden`, `choice`, `ffn`, `heads`, `inner`, `seq` and 14 more"},
      {"  b: {inputs: {x: [batch, seq, seq]}, nodes: []}", "input `x` of block `b` has dimension `seq` twice"},
      {"  b: {inputs: {x: [batch, seq, hidden]}, nodes: [], output: y}", "unknown tensor `y` in block `b`"},
      {"  b: {inputs: {x: [batch, seq, hidden]}, nodes: [], output: x}", "the output of segment `l` is one of its inputs"},
      {"  b: {nodes: [{name: a, block: d}]}\n  d: {nodes: [{name: c, block: b}]}", "cycle: b -> d -> b"},
      {"  d: {inputs: {y: [batch, seq, hidden]}, nodes: [], output: y}\n"
       "  b: {inputs: {x: [batch, seq, hidden]}, nodes: [{name: a, block: d, in: a}, {name: c, op: point, in: a}]}",
       "cycle: block `d` reads its own output through `y`"},
  };
  for (const auto& [blocks, expected] : cases) CHECK(model(blocks, ", {name: l, block: b}") == expected + "\n");
}

TEST_CASE("build: a first segment has nothing to read") {
  Workshop w(kOperators, kDimensions + "blocks: {b: {inputs: {x: [batch]}, nodes: []}}\ngraph: [{name: l, block: b}]\n");
  CHECK(bare(w.diagnostics) == "segment `l` needs `x`, but no segment comes before it\n");
}

TEST_CASE("build: an operator may need a dimension that the model lacks") {
  Workshop w(kOperators, "parameters: {batch: 1, seq: 2, hidden: 3, vocab: 4}\nblocks:\n" + kStart +
                             "  b: {inputs: {x: [batch, seq, hidden]}, nodes: [{name: a, op: choose, in: x, over: hidden}]}\ngraph: [{name: s, block: start}, "
                             "{name: l, block: b}]\n");
  CHECK(bare(w.diagnostics) ==
        "node `a`: the model has no dimension `choice`, which `choose` needs: declare the parameter `choice`, and rename a dimension of an input to it if "
        "`choose` reads it there\n");
  REQUIRE(w.diagnostics.all().size() == 1);
  REQUIRE(w.diagnostics.all()[0].notes.size() == 1);
  CHECK(to_string(w.diagnostics.all()[0].notes[0].span) == "ops.yaml:44:34");
}

TEST_CASE("build: groups speak of known dimensions") {
  Workshop w(kOperators,
             kDimensions.substr(0, kDimensions.find("grouped")) + "grouped: {haeds: kv_heads}\nblocks:\n" + kStart + "graph: [{name: s, block: start}]\n");
  CHECK(bare(w.diagnostics) ==
        "unknown dimension `haeds` in `grouped` (did you mean `heads`?); known dimensions: `heads`, `layers`, `batch`, `hidden`, `kv_heads`, `seq` and 14 "
        "more\n");
}

TEST_CASE("build: a mistake is shown at its word") {
  Workshop w(kOperators, kDimensions + "blocks:\n" + kStart + "graph: [{name: s, block: start, repat: 3}]\n");
  CHECK(render(w.diagnostics) ==
        "model.yaml:13:33: error: block `start` has no dimension or parameter `repat`; known dimensions: `expert`, `heads`, `route`, `seq`, `slot`, `state` "
        "and 14 more\n"
        "  graph: [{name: s, block: start, repat: 3}]\n"
        "                                  ^\n");
}

TEST_CASE("build: limits hold") {
  std::string dims = "[batch, seq, hidden, heads, kv_heads, head_dim, ffn, shared_ffn, vocab, experts, choice, inner, state, capacity, kv_seq, v_dim, route]";
  CHECK(with_nodes("{name: a, op: linear, in: x, out: " + dims + "}") == "output `y` of node `a` has more than 16 dimensions\n");
  std::string chain;
  for (int i = 0; i < 40; ++i) chain += "  b" + std::to_string(i) + ": {nodes: [{name: a, block: b" + std::to_string(i + 1) + "}]}\n";
  CHECK(model(chain, ", {name: l, block: b0}") == "more than 32 blocks inside each other\n");
  std::string bomb;
  for (int i = 0; i < 8; ++i) {
    bomb += "  b" + std::to_string(i) + ": {nodes: [";
    for (int j = 0; j < 10; ++j) bomb += "{name: a" + std::to_string(j) + ", block: b" + std::to_string(i + 1) + "},";
    bomb += "]}\n";
  }
  bomb += "  b8: {nodes: []}\n";
  CHECK(model(bomb, ", {name: l, block: b0}") == "the graph has more than 100000 nodes\n");
  CHECK(model(bomb, ", {name: l, block: b0}, {name: m, block: b0}, {name: n, block: none}") == "the graph has more than 100000 nodes\n");
}

}  // namespace opledger
