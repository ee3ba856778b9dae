#include "graph/print.h"

#include "tests/support/annotated.h"
#include "tests/support/ids.h"

namespace opledger {

TEST_CASE("print: an annotated graph") {
  Annotated x;
  CHECK(to_text(x.w.graph, x.a) == R"(s: start
  ids = data  [batch seq]
  e  embedding  ids=ids  rows=[vocab]  ->  [batch seq hidden]  table[vocab hidden]  |  batch/dp
  = e
l: layer x layers
  x = s.e  [batch seq hidden]
  p.up  linear  x=x  per=[]  ->  [batch seq ffn]  w[hidden ffn]  |  batch/dp ffn/tp  recomputed
  p.down  linear  x=p.up  per=[]  ->  [batch seq hidden]  w[ffn hidden]  |  batch/dp ffn/tp
  r  add  a=x  b=p.down  ->  [batch seq hidden]  |  batch/dp
  = r
transfers
  forward
    all-reduce  tp  l.p.down  [batch/dp seq hidden]  for l.r  by r.shard[1]
    point-to-point  pp  l.r  [batch/dp seq hidden]  algorithm=ring by r.shard[0]
  optimizer
    reduce-scatter  dp  d l.p.down.w  [ffn/tp hidden]  per step  by r.weights[0]
saved
  l.p.up  [batch/dp seq ffn/tp]  for p.down  by r.shard[0]
weights
  s.e.table  [vocab hidden]
  l.p.up.w  [hidden ffn]
  l.p.down.w  [ffn/tp hidden]  gradient [ffn/tp hidden] partial(dp)  optimizer [ffn/tp hidden] elements/dp  by r.weights[0]
)");
}

TEST_CASE("print: a node that is placed nowhere, or spends and passes on axes") {
  Annotated x;
  NodePlacement& p = x.a.nodes[x.w.node("l.r")];
  p.axes.clear();
  CHECK(to_text(x.w.graph, x.a).find("  r  add  a=x  b=p.down  ->  [batch seq hidden]  |  replicated\n") != std::string::npos);
  p.consumed = axes({2});
  p.passed = axes({1, 2});
  CHECK(to_text(x.w.graph, x.a).find("  |  spent(tp) passed(dp*tp)\n") != std::string::npos);
}

TEST_CASE("print: statistics and margins") {
  Annotated x;
  Transfer& t = x.a.transfers[0];
  t.times = 2;
  t.again = true;
  t.extent = "window";
  CHECK(to_text(x.w.graph, x.a).find("    all-reduce  tp  l.p.down  2 window entries of [batch/dp seq hidden]  again  for l.r  by r.shard[1]\n") !=
        std::string::npos);
}

TEST_CASE("print: Graphviz with clusters and collectives") {
  Annotated x;
  CHECK(to_dot(x.w.graph, &x.a) == R"(digraph graph_of_operators {
  node [shape=box];
  subgraph "cluster_s" {
    label="s";
    "s.ids" [shape=ellipse];
    "s.e" [label="e\nembedding\nbatch/dp"];
  }
  subgraph "cluster_l" {
    label="l x layers";
    "l.x" [shape=ellipse];
    "l.r" [label="r\nadd\nbatch/dp"];
    subgraph "cluster_l.p" {
      label="p";
      "l.p.up" [label="up\nlinear\nbatch/dp ffn/tp"];
      "l.p.down" [label="down\nlinear\nbatch/dp ffn/tp\noptimizer reduce-scatter dp"];
    }
  }
  "s.ids" -> "s.e";
  "s.e" -> "l.x";
  "l.x" -> "l.p.up";
  "l.p.up" -> "l.p.down";
  "l.x" -> "l.r";
  "l.p.down" -> "l.r" [label="all-reduce tp"];
}
)");
}

TEST_CASE("print: Graphviz without annotations") {
  Workshop w(kOperators, kDimensions + "blocks: {b: {nodes: [{name: z, op: plain, m: 1, n: 1}]}}\ngraph: [{name: l, block: b, repeat: \"'a' == 'b'\"}]\n");
  CHECK(to_dot(w.graph, nullptr) ==
        "digraph graph_of_operators {\n  node [shape=box];\n  subgraph \"cluster_l\" {\n    label=\"l x 'a' == 'b'\";\n    \"l.z\" [label=\"z\\nplain\"];\n  "
        "}\n}\n");
}

}  // namespace opledger
