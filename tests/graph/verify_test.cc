#include "graph/verify.h"

#include <functional>

#include "base/text.h"
#include "tests/support/annotated.h"
#include "tests/support/ids.h"

namespace opledger {
namespace {

using Break = std::function<void(Graph&)>;
using BreakAnnotations = std::function<void(Annotations&, const Workshop&)>;

}  // namespace

TEST_CASE("verify: what was built has no defects") {
  Annotated x;
  CHECK(verify(x.w.graph).empty());
  CHECK(verify(x.w.graph, x.a).empty());
}

TEST_CASE("verify: broken graphs") {
  const std::pair<Break, std::string> cases[] = {
      {[](Graph& g) { g.tensors[TensorId(1)].dims.push_back(g.tensors[TensorId(1)].dims[0]); }, "`s.e` has a dimension twice"},
      {[](Graph& g) { g.weights[WeightId(0)].dims[0] = DimId(99); }, "`s.e.table` has a dimension that the graph lacks"},
      {[](Graph& g) { g.nodes[NodeId(0)].op = nullptr; }, "node `s.e` has no operator"},
      {[](Graph& g) { g.nodes[NodeId(1)].segment = SegmentId(0); }, "node `l.p.up` reads `l.x` of another segment"},
      {[](Graph& g) { g.nodes[NodeId(1)].outputs.clear(); }, "node `l.p.up` has 0 outputs, its operator 1"},
      {[](Graph& g) { g.nodes[NodeId(1)].weights.clear(); }, "node `l.p.up` has 0 weights, its operator 1"},
      {[](Graph& g) { g.nodes[NodeId(1)].inputs.clear(); }, "node `l.p.up` has 0 inputs, its operator 1"},
      {[](Graph& g) { g.nodes[NodeId(1)].inputs[0].tensor = g.nodes[NodeId(3)].outputs[0]; }, "node `l.p.up` reads `l.r` before it is made"},
      {[](Graph& g) { g.nodes[NodeId(1)].inputs[0].tensor = TensorId(99); }, "node `l.p.up` reads a tensor that the graph lacks"},
      {[](Graph& g) { g.nodes[NodeId(2)].inputs[0].dims.pop_back(); },
       "node `l.p.down`: its operand `l.p.up` does not have the renamed dimensions of the tensor"},
      {[](Graph& g) { g.tensors[g.nodes[NodeId(2)].outputs[0]].producer = NodeId(1); }, "`l.p.down` is not output 0 of node `l.p.down`"},
      {[](Graph& g) { g.nodes[NodeId(1)].weights[0].weight = WeightId(0); }, "node `l.p.up` uses weight `s.e.table` with other dimensions"},
      {[](Graph& g) { g.weights[WeightId(1)].uses.clear(); }, "weight `l.p.up.w` does not list its use by node `l.p.up` once"},
      {[](Graph& g) { g.nodes[NodeId(1)].dims.pop_back(); }, "node `l.p.up`: its dimensions differ from the union of its operands, outputs and weights"},
      {[](Graph& g) { g.segments[SegmentId(1)].first = NodeId(2); }, "segment `l` does not begin where the one before it ends"},
      {[](Graph& g) { g.segments[SegmentId(1)].last = NodeId(3); }, "1 nodes are in no segment"},
      {[](Graph& g) { g.segments[SegmentId(1)].output = TensorId(0); }, "the output of segment `l` is not its own"},
      {[](Graph& g) { g.segments[SegmentId(1)].sources[0] = {}; }, "input `l.x` does not come from an earlier segment"},
      {[](Graph& g) { g.segments[SegmentId(1)].sources.clear(); }, "segment `l` has inputs without sources"},
  };
  for (const auto& [break_it, expected] : cases) {
    Annotated x;
    break_it(x.w.graph);
    std::string found = join(verify(x.w.graph), "\n");
    CHECK(("\n" + found + "\n").find("\n" + expected + "\n") != std::string::npos);
  }
}

TEST_CASE("verify: broken annotations") {
  const std::pair<BreakAnnotations, std::string> cases[] = {
      {[](Annotations& a, const Workshop&) { a.nodes.resize(3); }, "nodes has 3 entries for 4"},
      {[](Annotations& a, const Workshop&) { a.mesh.order.push_back(AxisId(7)); }, "the grid has an axis that the mesh lacks"},
      {[](Annotations& a, const Workshop&) { a.nodes[NodeId(1)].axes[0].second = axes({9}); }, "l.p.up: axis 9 is not of the grid"},
      {[](Annotations& a, const Workshop&) {
         a.nodes[NodeId(1)].axes[0].second = axes({1, 1});
       },
       "l.p.up: axis `dp` is used twice"},
      {[](Annotations& a, const Workshop&) {
         a.nodes[NodeId(1)].axes[0].second = axes({1, 2});
       },
       "l.p.up: axis `tp` is used twice"},
      {[](Annotations& a, const Workshop& w) { a.nodes[NodeId(1)].axes[0].first = w.graph.dimension("vocab"); },
       "node `l.p.up` is placed by a dimension that it lacks"},
      {[](Annotations& a, const Workshop&) { a.nodes[NodeId(1)].why.emplace_back(AxisId(1), RuleId(5)); }, "l.p.up: rule 5 is none"},
      {[](Annotations& a, const Workshop&) { a.transfers[0].axes.clear(); }, "transfer of l.p.down: over no axis"},
      {[](Annotations& a, const Workshop&) { a.transfers[0].tensor = TensorId(99); }, "transfer of l.p.down: no such tensor or weight"},
      {[](Annotations& a, const Workshop&) { a.transfers[0].weight = WeightId(0); }, "transfer of l.p.down: both a tensor and a weight"},
      {[](Annotations& a, const Workshop&) { a.transfers[0].segment = SegmentId(2); }, "transfer of l.p.down: no such segment"},
      {[](Annotations& a, const Workshop&) { a.transfers[0].message.set(kElements, axes({2})); }, "transfer of l.p.down: placed by a dimension that it lacks"},
      {[](Annotations& a, const Workshop&) { a.saved[0].placement.partial = axes({0}); }, "saved l.p.up: a partial sum that no reader takes"},
      {[](Annotations& a, const Workshop&) {
         a.saved[0].placement.partial = axes({2, 0});
       },
       "saved l.p.up: partial axes are not sorted"},
      {[](Annotations& a, const Workshop&) { a.saved[0].placement.partial = axes({2}); }, "saved l.p.up: axis `tp` is used twice"},
      {[](Annotations& a, const Workshop& w) { a.saved[0].placement.set(w.graph.dimension("vocab"), axes({0})); },
       "saved l.p.up: placed by a dimension that it lacks"},
      {[](Annotations& a, const Workshop&) { a.saved[0].placement.shard[0].second.clear(); }, "saved l.p.up: a dimension is sharded over no axis"},
      {[](Annotations& a, const Workshop&) { a.weights[WeightId(2)].stored.partial = axes({1}); }, "weight l.p.down.w: a partial sum is stored"},
      {[](Annotations& a, const Workshop&) {
         a.divisions.push_back({NodeId(0), "s.e", DimId(99), axes({1}), RuleId(0)});
       },
       "division of s.e: no such dimension"},
      {[](Annotations& a, const Workshop&) { a.layers = axes({5}); }, "the cut into stages: axis 5 is not of the grid"},
  };
  for (const auto& [break_it, expected] : cases) {
    Annotated x;
    break_it(x.a, x.w);
    std::string found = join(verify(x.w.graph, x.a), "\n");
    CHECK(("\n" + found + "\n").find("\n" + expected + "\n") != std::string::npos);
  }
}

}  // namespace opledger
