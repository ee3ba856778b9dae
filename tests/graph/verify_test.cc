#include "graph/verify.h"

#include <functional>

#include "base/text.h"
#include "tests/support/annotated.h"

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
      {[](Graph& g) { g.tensors[1].dims.push_back(g.tensors[1].dims[0]); }, "`s.e` has a dimension twice"},
      {[](Graph& g) { g.weights[0].dims[0] = 99; }, "`s.e.table` has a dimension that the graph lacks"},
      {[](Graph& g) { g.node(0).op = nullptr; }, "node `s.e` has no operator"},
      {[](Graph& g) { g.node(1).segment = 0; }, "node `l.p.up` reads `l.x` of another segment"},
      {[](Graph& g) { g.node(1).outputs.clear(); }, "node `l.p.up` has 0 outputs, its operator 1"},
      {[](Graph& g) { g.node(1).weights.clear(); }, "node `l.p.up` has 0 weights, its operator 1"},
      {[](Graph& g) { g.node(1).inputs.clear(); }, "node `l.p.up` has 0 inputs, its operator 1"},
      {[](Graph& g) { g.node(1).inputs[0].tensor = g.node(3).outputs[0]; }, "node `l.p.up` reads `l.r` before it is made"},
      {[](Graph& g) { g.node(1).inputs[0].tensor = 99; }, "node `l.p.up` reads a tensor that the graph lacks"},
      {[](Graph& g) { g.node(2).inputs[0].dims.pop_back(); }, "node `l.p.down`: what it reads of `l.p.up` is not the tensor's dimensions renamed"},
      {[](Graph& g) { g.tensors[g.node(2).outputs[0]].producer = 1; }, "`l.p.down` is not output 0 of node `l.p.down`"},
      {[](Graph& g) { g.node(1).weights[0].weight = 0; }, "node `l.p.up` uses weight `s.e.table` with other dimensions"},
      {[](Graph& g) { g.weights[1].uses.clear(); }, "weight `l.p.up.w` does not list its use by node `l.p.up` once"},
      {[](Graph& g) { g.node(1).dims.pop_back(); }, "node `l.p.up`: its dimensions are not those of its operands, outputs and weights"},
      {[](Graph& g) { g.segments[1].first = 2; }, "segment `l` does not begin where the one before it ends"},
      {[](Graph& g) { g.segments[1].last = 3; }, "1 nodes are in no segment"},
      {[](Graph& g) { g.segments[1].output = 0; }, "the output of segment `l` is not its own"},
      {[](Graph& g) { g.segments[1].sources[0] = -1; }, "input `l.x` does not come from an earlier segment"},
      {[](Graph& g) { g.segments[1].sources.clear(); }, "segment `l` has inputs without sources"},
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
      {[](Annotations& a, const Workshop&) { a.nodes.pop_back(); }, "nodes has 3 entries for 4"},
      {[](Annotations& a, const Workshop&) { a.mesh.order.push_back(7); }, "the grid has an axis that the mesh lacks"},
      {[](Annotations& a, const Workshop&) { a.nodes[1].axes[0].second = {9}; }, "l.p.up: axis 9 is not of the grid"},
      {[](Annotations& a, const Workshop&) {
         a.nodes[1].axes[0].second = {1, 1};
       },
       "l.p.up: axis `dp` is used twice"},
      {[](Annotations& a, const Workshop&) {
         a.nodes[1].axes[0].second = {1, 2};
       },
       "l.p.up: axis `tp` is used twice"},
      {[](Annotations& a, const Workshop& w) { a.nodes[1].axes[0].first = w.graph.dimension("vocab"); },
       "node `l.p.up` is placed by a dimension that it lacks"},
      {[](Annotations& a, const Workshop&) { a.nodes[1].why.emplace_back(1, 5); }, "l.p.up: rule 5 is none"},
      {[](Annotations& a, const Workshop&) { a.transfers[0].axes.clear(); }, "transfer of l.p.down: over no axis"},
      {[](Annotations& a, const Workshop&) { a.transfers[0].tensor = 99; }, "transfer of l.p.down: no such tensor or weight"},
      {[](Annotations& a, const Workshop&) { a.transfers[0].weight = 0; }, "transfer of l.p.down: both a tensor and a weight"},
      {[](Annotations& a, const Workshop&) { a.transfers[0].segment = 2; }, "transfer of l.p.down: no such segment"},
      {[](Annotations& a, const Workshop&) { a.transfers[0].message.set(kElements, {2}); }, "transfer of l.p.down: placed by a dimension that it lacks"},
      {[](Annotations& a, const Workshop&) { a.saved[0].placement.partial = {0}; }, "saved l.p.up: a partial sum that no reader takes"},
      {[](Annotations& a, const Workshop&) {
         a.saved[0].placement.partial = {2, 0};
       },
       "saved l.p.up: partial axes are not sorted"},
      {[](Annotations& a, const Workshop&) { a.saved[0].placement.partial = {2}; }, "saved l.p.up: axis `tp` is used twice"},
      {[](Annotations& a, const Workshop& w) { a.saved[0].placement.set(w.graph.dimension("vocab"), {0}); },
       "saved l.p.up: placed by a dimension that it lacks"},
      {[](Annotations& a, const Workshop&) { a.saved[0].placement.shard[0].second.clear(); }, "saved l.p.up: a dimension is sharded over no axis"},
      {[](Annotations& a, const Workshop&) { a.weights[2].stored.partial = {1}; }, "weight l.p.down.w: a partial sum is stored"},
      {[](Annotations& a, const Workshop&) {
         a.divisions.push_back({0, "s.e", 99, {1}, 0});
       },
       "division of s.e: no such dimension"},
      {[](Annotations& a, const Workshop&) { a.layers = {5}; }, "the cut into stages: axis 5 is not of the grid"},
  };
  for (const auto& [break_it, expected] : cases) {
    Annotated x;
    break_it(x.a, x.w);
    std::string found = join(verify(x.w.graph, x.a), "\n");
    CHECK(("\n" + found + "\n").find("\n" + expected + "\n") != std::string::npos);
  }
}

}  // namespace opledger
