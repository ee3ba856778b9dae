#pragma once
#include <doctest/doctest.h>

#include <string>

#include "graph/annotations.h"
#include "tests/support/shapes.h"
#include "tests/support/workshop.h"

namespace opledger {

inline const std::string kTwoLayers = kDimensions + R"(
blocks:
  start: {data: {ids: [batch, seq]}, nodes: [{name: e, op: embedding, in: ids, rows: vocab, out: [batch, seq, hidden]}]}
  part: {inputs: {x: [batch, seq, hidden]}, nodes: [{name: up, op: linear, in: x, out: [batch, seq, ffn]}, {name: down, op: linear, in: up, out: [batch, seq, hidden]}]}
  layer: {inputs: {x: [batch, seq, hidden]}, nodes: [{name: p, block: part, in: x}, {name: r, op: add, in: [x, p]}]}
graph: [{name: s, block: start}, {name: l, block: layer, repeat: layers}]
)";

/// A graph of an embedding and layers, annotated by hand as a rule that shards the inner width over one axis would.
struct Annotated {
  Workshop w{kOperators, kTwoLayers};
  Annotations a;

  Annotated() {
    REQUIRE(messages(w.diagnostics) == "");
    Diagnostics diagnostics;
    a.mesh = parse_mesh(datum("{pp: 2, dp: 2, tp: 4}"), diagnostics)->mesh;
    const Graph& g = w.graph;
    DimId batch = g.dimension("batch"), ffn = g.dimension("ffn");
    const AxisId pp(0), dp(1), tp(2);
    a.layers = {pp};
    a.rules = {{"r.shard[0]", {}}, {"r.shard[1]", {}}, {"r.weights[0]", {}}};
    a.marks = {{Marked::message, "algorithm", "ring", {}, {}, RuleId(0)}};
    a.inputs.resize(g.tensors.size());
    a.recomputed.resize(g.nodes.size());
    a.weights.resize(g.weights.size());
    for (const NodeId id : g.nodes.ids()) {
      NodePlacement p;
      for (DimId d : g.nodes[id].dims) p.axes.emplace_back(d, d == batch ? AxisList{dp} : d == ffn ? AxisList{tp} : AxisList{});
      a.nodes.push_back(std::move(p));
    }
    a.recomputed[w.node("l.p.up")] = 1;
    transfer(g, batch, tp, pp);
    const Node& down = g.nodes[w.node("l.p.down")];
    Saved saved;
    saved.tensor = down.inputs[0].tensor;
    saved.placement.set(batch, {dp});
    saved.placement.set(ffn, {tp});
    saved.readers = {w.node("l.p.down")};
    saved.rule = RuleId(0);
    a.saved.push_back(saved);
    WeightPlacement& weight = a.weights[down.weights[0].weight];
    for (Placement* p : {&weight.compute, &weight.stored, &weight.kept, &weight.gradient, &weight.optimizer}) p->set(ffn, {tp});
    weight.optimizer.set(kElements, {dp});
    weight.gradient.partial = {dp};
    weight.rules = {RuleId(2)};
  }

  void transfer(const Graph& g, DimId batch, AxisId tp, AxisId pp) {
    Transfer t;
    t.axes = {tp};
    t.tensor = g.nodes[w.node("l.p.down")].outputs[0];
    t.name = g.tensors[t.tensor].name;
    t.label = g.tensors[t.tensor].label;
    t.reader = w.node("l.r");
    t.segment = SegmentId(1);
    t.dims = g.tensors[t.tensor].dims;
    t.message.set(batch, {AxisId(1)});
    t.rule = RuleId(1);
    a.transfers.push_back(t);
    t.kind = Collective::point_to_point;
    t.axes = {pp};
    t.tensor = g.segments[SegmentId(1)].output;
    t.name = "l.r";
    t.reader = {};
    t.marks = {MarkId(0)};
    t.rule = {};
    a.transfers.push_back(t);
    t.phase = Phase::optimizer;
    t.cadence = Cadence::step;
    t.kind = Collective::reduce_scatter;
    t.axes = {AxisId(1)};
    t.tensor = {};
    t.weight = g.nodes[w.node("l.p.down")].weights[0].weight;
    t.name = "d l.p.down.w";
    t.marks = {};
    t.dims = g.weights[t.weight].dims;
    t.message = {};
    t.message.set(g.dimension("ffn"), {tp});
    t.weight_rule = RuleId(2);
    a.transfers.push_back(t);
  }
};

}  // namespace opledger
