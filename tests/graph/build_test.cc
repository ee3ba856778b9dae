#include "graph/build.h"

#include "graph/print.h"
#include "graph/verify.h"
#include "tests/support/shapes.h"
#include "tests/support/workshop.h"

namespace opledger {
namespace {

/// Returns the graph's text, or the messages.
std::string built(const std::string& model) {
  Workshop w(kOperators, kDimensions + model);
  if (!w.good) return messages(w.diagnostics);
  CHECK(verify(w.graph).empty());
  return to_text(w.graph);
}

/// Returns a model of one block `b` with an input x and these nodes.
std::string block(const std::string& nodes) {
  return built("blocks:\n  b:\n    inputs: {x: [batch, seq, hidden]}\n    nodes: " + nodes +
               "\n  start: {data: {ids: [batch, seq]}, nodes: [{name: e, op: embedding, in: ids, rows: vocab, out: [batch, seq, hidden]}]}\n" +
               "graph: [{name: s, block: start}, {name: l, block: b}]\n");
}

/// Returns the model without the segment that feeds the block.
std::string nodes(const std::string& list) {
  std::string text = block(list);
  return text.substr(text.find("l: b\n") + 5);
}

}  // namespace

TEST_CASE("build: a model of three segments") {
  CHECK(built(R"(
blocks:
  tokens:
    component: embedding
    data: {ids: [batch, seq]}
    nodes: [{name: table, op: embedding, in: ids, rows: vocab, out: [batch, seq, hidden]}]
  layer:
    inputs: {x: [batch, seq, hidden]}
    nodes:
      - {name: n1, op: norm, in: x, over: hidden}
      - {name: q, op: linear, in: n1, out: [batch, seq, heads, head_dim]}
      - {name: k, op: linear, in: n1, out: [batch, seq, kv_heads, head_dim]}
      - {name: v, op: linear, in: n1, out: [batch, seq, kv_heads, v_dim]}
      - {name: mix, op: core, in: {q: q, k: {k: {seq: kv_seq}}, v: {v: {seq: kv_seq}}}, component: mixing, tags: [big]}
      - {name: o, op: linear, in: mix, out: [batch, seq, hidden]}
      - {name: r, op: add, in: [x, o]}
  head:
    inputs: {x: [batch, seq, hidden]}
    data: {labels: [batch, seq]}
    nodes:
      - {name: logits, op: linear, in: x, out: [batch, seq, vocab]}
      - {name: loss, op: loss, in: [logits, labels], over: vocab}
graph:
  - {name: embedding, block: tokens}
  - {name: decoder, block: layer, repeat: layers - 1}
  - {name: head, block: head, weights: {logits.w: embedding.table.table}}
)") == R"(embedding: tokens
  ids = data  [batch seq]
  table  embedding  ids=ids  rows=[vocab]  ->  [batch seq hidden]  table[vocab hidden]  (embedding)
  = table
decoder: layer x layers - 1
  x = embedding.table  [batch seq hidden]
  n1  norm  x=x  over=[hidden]  ->  [batch seq hidden]  gamma[hidden]
  q  linear  x=n1  per=[]  ->  [batch seq heads head_dim]  w[hidden heads head_dim]
  k  linear  x=n1  per=[]  ->  [batch seq kv_heads head_dim]  w[hidden kv_heads head_dim]
  v  linear  x=n1  per=[]  ->  [batch seq kv_heads v_dim]  w[hidden kv_heads v_dim]
  mix  core  q=q  k=k{seq:kv_seq}  v=v{seq:kv_seq}  ->  [batch seq heads v_dim] lse[batch seq heads]  (mixing)  #big
  o  linear  x=mix  per=[]  ->  [batch seq hidden]  w[heads v_dim hidden]
  r  add  a=x  b=o  ->  [batch seq hidden]
  = r
head: head
  x = decoder.r  [batch seq hidden]
  labels = data  [batch seq]
  logits  linear  x=x  per=[]  ->  [batch seq vocab]  w[hidden vocab]=embedding.table.table
  loss  loss  x=logits  labels=labels  over=[vocab]  ->  []
  = loss
)");
}

TEST_CASE("build: nodes stand in any order") {
  CHECK(nodes("[{name: c, op: point, in: b}, {name: b, op: point, in: a}, {name: a, op: point, in: x}, {name: d, op: point, in: x}]") ==
        "  x = s.e  [batch seq hidden]\n  a  point  x=x  ->  [batch seq hidden]\n  b  point  x=a  ->  [batch seq hidden]\n  c  point  x=b  ->  [batch seq "
        "hidden]\n"
        "  d  point  x=x  ->  [batch seq hidden]\n  = d\n");
}

TEST_CASE("build: second outputs, moved dimensions and weights per expert") {
  CHECK(nodes(R"(
      - {name: router, op: linear, in: x, out: [batch, seq, route]}
      - {name: pick, op: choose, in: router, over: route}
      - {name: to, op: spread, in: [x, pick.index]}
      - {name: up, op: linear, in: to, out: [expert, slot, ffn], per: expert})") == R"(  x = s.e  [batch seq hidden]
  router  linear  x=x  per=[]  ->  [batch seq route]  w[hidden route]
  pick  choose  scores=router  over=[route]  ->  [batch seq choice] index[batch seq choice]
  to  spread  x=x  index=pick.index  ->  [expert slot hidden]
  up  linear  x=to  per=[expert]  ->  [expert slot ffn]  w[hidden ffn expert]
  = up
)");
}

TEST_CASE("build: an operand that may be broadcast lacks dimensions, or has all of them") {
  CHECK(built(R"(
blocks:
  b:
    inputs: {x: [batch, seq, hidden]}
    nodes:
      - {name: g, op: linear, in: x, out: [batch, seq]}
      - {name: gated, op: times, in: [x, g]}
      - {name: r, op: times, in: [gated, x]}
  start: {data: {ids: [batch, seq]}, nodes: [{name: e, op: embedding, in: ids, rows: vocab, out: [batch, seq, hidden]}]}
graph: [{name: s, block: start}, {name: l, block: b, repeat: 2}]
)") == R"(s: start
  ids = data  [batch seq]
  e  embedding  ids=ids  rows=[vocab]  ->  [batch seq hidden]  table[vocab hidden]
  = e
l: b x 2
  x = s.e  [batch seq hidden]
  g  linear  x=x  per=[]  ->  [batch seq]  w[hidden]
  gated  times  a=x  b=g  ->  [batch seq hidden]
  r  times  a=gated  b=x  ->  [batch seq hidden]
  = r
)");
}

TEST_CASE("build: blocks inside blocks, with dimensions renamed") {
  CHECK(built(R"(
blocks:
  gated:
    component: gated
    inputs: {x: [batch, seq, hidden]}
    nodes:
      - {name: up, op: linear, in: x, out: [batch, seq, ffn], work: 2 * ffn}
      - {name: down, op: linear, in: up, out: [batch, seq, hidden]}
  outer:
    inputs: {x: [batch, seq, hidden]}
    nodes:
      - {name: g, block: gated, in: x}
      - {name: n, op: norm, in: x, over: hidden}
      - {name: small, block: gated, in: n, ffn: shared_ffn, component: shared, tags: [t]}
      - {name: peek, op: point, in: small.up}
      - {name: all, op: add, in: [g, small]}
    output: all
  start: {data: {ids: [batch, seq]}, nodes: [{name: e, op: embedding, in: ids, rows: vocab, out: [batch, seq, hidden]}]}
graph: [{name: s, block: start}, {name: l, block: outer, repeat: 2}]
)") == R"(s: start
  ids = data  [batch seq]
  e  embedding  ids=ids  rows=[vocab]  ->  [batch seq hidden]  table[vocab hidden]
  = e
l: outer x 2
  x = s.e  [batch seq hidden]
  g.up  linear  x=x  per=[]  work=2 * ffn  ->  [batch seq ffn]  w[hidden ffn]  (gated)
  g.down  linear  x=g.up  per=[]  ->  [batch seq hidden]  w[ffn hidden]  (gated)
  n  norm  x=x  over=[hidden]  ->  [batch seq hidden]  gamma[hidden]
  small.up  linear  x=n  per=[]  work=2 * shared_ffn  ->  [batch seq shared_ffn]  w[hidden shared_ffn]  (shared)  #t
  small.down  linear  x=small.up  per=[]  ->  [batch seq hidden]  w[shared_ffn hidden]  (shared)  #t
  peek  point  x=small.up  ->  [batch seq shared_ffn]
  all  add  a=g.down  b=small.down  ->  [batch seq hidden]
  = all
)");
}

TEST_CASE("build: renames on the way into a block and inside it add up") {
  CHECK(built(R"(
blocks:
  inner:
    inputs: {y: [batch, kv_seq, hidden]}
    nodes: [{name: p, op: linear, in: [{y: {kv_seq: seq}}], out: [batch, seq, ffn]}, {name: q, op: point, in: y}]
  outer: {inputs: {x: [batch, seq, hidden]}, nodes: [{name: i, block: inner, in: [{x: {seq: kv_seq}}]}]}
  start: {data: {ids: [batch, seq]}, nodes: [{name: e, op: embedding, in: ids, rows: vocab, out: [batch, seq, hidden]}]}
graph: [{name: s, block: start}, {name: l, block: outer}]
)")
            .find("  i.p  linear  x=x  per=[]  ->  [batch seq ffn]  w[hidden ffn]\n  i.q  point  x=x{seq:kv_seq}  ->  [batch kv_seq hidden]\n") !=
        std::string::npos);
}

TEST_CASE("build: what a renamed dimension stands for reaches the operator's own declarations") {
  Workshop w(kOperators, kDimensions + R"(
blocks:
  layer: {inputs: {x: [batch, seq, inner]}, nodes: [{name: c, op: scan, in: x}]}
  start: {data: {ids: [batch, seq]}, nodes: [{name: e, op: embedding, in: ids, rows: vocab, out: [batch, seq, ffn]}]}
graph: [{name: s, block: start}, {name: l, block: layer, inner: ffn, seq: seq}]
)");
  REQUIRE(messages(w.diagnostics) == "");
  CHECK(to_text(w.graph).find("  c  scan  x=x  inner=[ffn]  seq=[seq]  ->  [batch seq ffn]  a[ffn state]\n") != std::string::npos);
}

TEST_CASE("build: conditions leave nodes and segments out") {
  const std::string model = kDimensions + R"(
blocks:
  start: {data: {ids: [batch, seq]}, nodes: [{name: e, op: embedding, in: ids, rows: vocab, out: [batch, seq, hidden]}]}
  b:
    inputs: {x: [batch, seq, hidden]}
    nodes:
      - when: yes_please
        nodes: [{name: act, op: point, in: x}]
        else: [{name: act, op: drop, in: x}]
      - {name: r, op: point, in: act}
graph: [{name: s, block: start}, {name: off, block: b, when: no_thanks}, {name: l, block: b}]
)";
  Condition holds = [](const ExprPtr& e) { return e->kind == Expr::Kind::name && e->text == "yes_please"; };
  Workshop w(kOperators, model, holds);
  CHECK(messages(w.diagnostics) == "");
  CHECK(to_text(w.graph).find("l: b\n  x = s.e  [batch seq hidden]\n  act  point  x=x") != std::string::npos);
  CHECK(w.graph.segments.size() == 2);
  Workshop unknown(kOperators, model, [](const ExprPtr&) -> std::optional<bool> { return std::nullopt; });
  CHECK_FALSE(unknown.good);
}

TEST_CASE("build: where a node is left out its readers read what stands in its place") {
  const std::string model = kDimensions + R"(
blocks:
  start: {data: {ids: [batch, seq]}, nodes: [{name: e, op: embedding, in: ids, rows: vocab, out: [batch, seq, hidden]}]}
  inner:
    inputs: {y: [batch, seq, hidden]}
    nodes: [{name: p, op: point, in: y, when: off, else: y}, {name: q, op: point, in: p, when: off, else: p}]
  b:
    inputs: {x: [batch, seq, hidden]}
    nodes:
      - {name: up, op: linear, in: x, out: [batch, seq, ffn]}
      - {name: act, op: drop, in: up, when: off, else: up}
      - {name: more, op: point, in: act, when: on, else: act}
      - {name: none, block: inner, in: x, when: off, else: x}
      - {name: last, op: add, in: [x, through]}
      - {name: through, block: inner, in: none}
      - {name: end, op: point, in: last, when: off, else: last}
graph: [{name: s, block: start}, {name: l, block: b}]
)";
  Workshop w(kOperators, model, [](const ExprPtr& e) { return e->text == "on"; });
  REQUIRE(messages(w.diagnostics) == "");
  const std::string text = to_text(w.graph);
  CHECK(text.substr(text.find("l: b")) == R"(l: b
  x = s.e  [batch seq hidden]
  up  linear  x=x  per=[]  ->  [batch seq ffn]  w[hidden ffn]
  more  point  x=up  ->  [batch seq ffn]
  last  add  a=x  b=x  ->  [batch seq hidden]
  = last
)");
}

TEST_CASE("build: a condition sees what a block's parameters stand for") {
  const std::string model = kDimensions + R"(
blocks:
  start: {data: {ids: [batch, seq]}, nodes: [{name: e, op: embedding, in: ids, rows: vocab, out: [batch, seq, hidden]}]}
  b: {inputs: {x: [batch, seq, hidden]}, nodes: [{name: p, op: point, in: x}, {name: q, op: point, in: p, when: ffn, else: p}]}
graph: [{name: s, block: start}, {name: one, block: b, ffn: shared_ffn}, {name: two, block: b}]
)";
  Workshop w(kOperators, model, [](const ExprPtr& e) { return e->text == "shared_ffn"; });
  REQUIRE(messages(w.diagnostics) == "");
  CHECK(w.graph.segments[SegmentId(1)].last - w.graph.segments[SegmentId(1)].first == 2);
  CHECK(w.graph.segments[SegmentId(2)].last - w.graph.segments[SegmentId(2)].first == 1);
}

TEST_CASE("build: segments that take turns") {
  const std::string text = built(R"(
blocks:
  start: {data: {ids: [batch, seq]}, nodes: [{name: e, op: embedding, in: ids, rows: vocab, out: [batch, seq, hidden]}]}
  b: {inputs: {x: [batch, seq, hidden]}, nodes: [{name: p, op: point, in: x}]}
graph:
  - {name: s, block: start}
  - repeat: layers / 4
    segments: [{name: three, block: b, repeat: 3}, {name: one, block: b}]
  - {name: rest, block: b, repeat: 2}
)");
  CHECK(text.substr(text.find("three")) == R"(three: b x layers / 4 * 3  in turn with one
  x = s.e  [batch seq hidden]
  p  point  x=x  ->  [batch seq hidden]
  = p
one: b x layers / 4  in turn with three
  x = three.p  [batch seq hidden]
  p  point  x=x  ->  [batch seq hidden]
  = p
rest: b x 2
  x = one.p  [batch seq hidden]
  p  point  x=x  ->  [batch seq hidden]
  = p
)");
}

TEST_CASE("build: operators without tensors") {
  Workshop w(kOperators, kDimensions +
                             "blocks: {b: {nodes: [{name: z, op: plain, m: 4 * hidden, n: {forward: 1, else: 2}}, {name: y, op: plain, m: 1, n: 1}]}}\ngraph: "
                             "[{name: l, block: b, repeat: layers}]\n");
  CHECK(messages(w.diagnostics) == "");
  CHECK(to_text(w.graph) == "l: b x layers\n  z  plain  m=4 * hidden  n={forward: 1, else: 2}\n  y  plain  m=1  n=1\n");
  CHECK(verify(w.graph).empty());
}

TEST_CASE("build: what tensors, weights and dimensions carry") {
  Workshop w(kOperators, kDimensions + R"(
blocks:
  start: {data: {ids: [batch, seq]}, nodes: [{name: e, op: embedding, in: ids, rows: vocab, out: [batch, seq, hidden]}]}
  b: {inputs: {x: [batch, seq, hidden]}, nodes: [{name: d, op: drop, in: x}, {name: q, op: linear, in: d, out: [batch, seq, heads, head_dim]}, {name: o, op: linear, in: q, out: [batch, seq, kv_heads]}]}
graph: [{name: s, block: start}, {name: l, block: b}]
)");
  REQUIRE(messages(w.diagnostics) == "");
  const Graph& g = w.graph;
  const Node& d = g.nodes[w.node("l.d")];
  const Tensor &mask = g.tensors[d.outputs[1]], &ids = g.tensors[g.segments[SegmentId(0)].inputs[0]];
  CHECK(mask.name == "l.d.mask");
  CHECK(mask.constant);
  CHECK(mask.width->number == 1);
  CHECK(ids.data);
  CHECK(ids.constant);
  CHECK(ids.width->number == 8);
  CHECK_FALSE(g.tensors[d.outputs[0]].width);
  CHECK(g.grouped == std::vector<std::pair<DimId, DimId>>{{g.dimension("heads"), g.dimension("kv_heads")}});
  CHECK_FALSE(g.dimension("slot"));
  CHECK(g.dimensions[g.dimension("hidden")].size == nullptr);
  CHECK(*g.port(w.node("l.q"), "w") == DimList{g.dimension("hidden"), g.dimension("heads"), g.dimension("head_dim")});
  CHECK(*g.port(w.node("l.q"), "per") == DimList{});
  CHECK(g.port(w.node("l.q"), "z") == nullptr);
  CHECK(g.weights[WeightId(1)].uses.size() == 1);
}

TEST_CASE("build: ties are found in the block, around it, and from the segments") {
  Workshop w(kOperators, kDimensions + R"(
blocks:
  start: {data: {ids: [batch, seq]}, nodes: [{name: e, op: embedding, in: ids, rows: vocab, out: [batch, seq, hidden]}]}
  inner: {inputs: {x: [batch, seq, hidden]}, nodes: [{name: p, op: linear, in: x, out: [batch, seq, ffn]}]}
  b:
    inputs: {x: [batch, seq, hidden]}
    nodes:
      - {name: one, block: inner, in: x}
      - {name: two, block: inner, in: x, weights: {p.w: one.p.w}}
      - {name: here, op: linear, in: x, out: [batch, seq, ffn], weights: {w: two.p.w}}
      - {name: far, op: linear, in: x, out: [batch, seq, vocab], weights: {w: s.e.table}}
graph: [{name: s, block: start}, {name: l, block: b}]
)");
  REQUIRE(messages(w.diagnostics) == "");
  std::string text;
  for (const Weight& weight : w.graph.weights) {
    text += weight.name + ":";
    for (const auto& use : weight.uses) text += " " + w.graph.nodes[use.first].name;
    text += "\n";
  }
  CHECK(text == "s.e.table: s.e l.far\nl.one.p.w: l.one.p l.two.p l.here\n");
  CHECK(verify(w.graph).empty());
}

TEST_CASE("build: segments read the one before, or those they name") {
  CHECK(built(R"(
blocks:
  start: {data: {ids: [batch, seq]}, nodes: [{name: e, op: embedding, in: ids, rows: vocab, out: [batch, seq, hidden]}]}
  join: {inputs: {x: [batch, seq, hidden], memory: [batch, seq, hidden]}, nodes: [{name: r, op: add, in: [x, memory]}]}
graph: [{name: a, block: start}, {name: b, block: start}, {name: c, block: join, in: {memory: a}}, {name: d, block: join, in: [a, c]}]
)")
            .find("c: join\n  x = b.e  [batch seq hidden]\n  memory = a.e  [batch seq hidden]\n  r  add  a=x  b=memory  ->  [batch seq hidden]\n  = r\n"
                  "d: join\n  x = a.e  [batch seq hidden]\n  memory = c.r  [batch seq hidden]\n") != std::string::npos);
}

}  // namespace opledger
