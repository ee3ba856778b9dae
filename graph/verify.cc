#include "graph/verify.h"

#include <fmt/format.h>

#include <algorithm>

namespace opledger {

namespace {

bool distinct(const DimList& dims) {
  DimList sorted = dims;
  std::sort(sorted.begin(), sorted.end());
  return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
}

/// Checks the invariants of graph/graph.h, one function each. Checks continue after a defect, so one run lists them
/// all.
class GraphVerifier {
 public:
  explicit GraphVerifier(const Graph& graph) : graph_(graph) {}

  std::vector<std::string> run() {
    for (const Tensor& tensor : graph_.tensors) dimensions(tensor.name, tensor.dims);
    for (const Weight& weight : graph_.weights) dimensions(weight.name, weight.dims);
    for (const NodeId id : graph_.nodes.ids()) node(id);
    segments();
    return std::move(defects_);
  }

 private:
  template <class... Args>
  void defect(fmt::format_string<Args...> text, Args&&... args) {
    defects_.push_back(fmt::format(text, std::forward<Args>(args)...));
  }

  void dimensions(const std::string& name, const DimList& dims) {
    if (!distinct(dims)) defect("`{}` has a dimension twice", name);
    for (DimId d : dims) {
      if (!graph_.dimensions.has(d)) defect("`{}` has a dimension that the graph lacks", name);
    }
  }

  /// Checks that a node has as many inputs, outputs and weights as its operator has ports, and that each is valid. The
  /// node's dimensions must be the union of theirs in order of first occurrence. A node without operator is not checked
  /// further.
  void node(NodeId id) {
    const Node& n = graph_.nodes[id];
    if (!n.op) return defect("node `{}` has no operator", n.name);
    if (!graph_.segments.has(n.segment)) defect("node `{}` is in no segment", n.name);
    if (n.inputs.size() != n.op->inputs.size()) defect("node `{}` has {} inputs, its operator {}", n.name, n.inputs.size(), n.op->inputs.size());
    if (n.outputs.size() != n.op->outputs.size()) defect("node `{}` has {} outputs, its operator {}", n.name, n.outputs.size(), n.op->outputs.size());
    if (n.weights.size() != n.op->weights.size()) defect("node `{}` has {} weights, its operator {}", n.name, n.weights.size(), n.op->weights.size());
    DimList all;
    for (const Operand& input : n.inputs) all = join(all, input.dims);
    for (std::size_t i = 0; i < n.inputs.size(); ++i) operand(id, n, i);
    for (std::size_t i = 0; i < n.outputs.size(); ++i) all = join(all, output(id, n, i));
    for (std::size_t i = 0; i < n.weights.size(); ++i) {
      weight(id, n, i);
      all = join(all, n.weights[i].dims);
    }
    if (all != n.dims) defect("node `{}`: its dimensions differ from the union of its operands, outputs and weights", n.name);
  }

  /// An operand must exist, lie in the node's segment, have an earlier producer, and follow from the tensor by its
  /// renames.
  void operand(NodeId id, const Node& n, std::size_t i) {
    const Operand& in = n.inputs[i];
    dimensions(n.name, in.dims);
    if (!graph_.tensors.has(in.tensor)) return defect("node `{}` reads a tensor that the graph lacks", n.name);
    const Tensor& tensor = graph_.tensors[in.tensor];
    if (tensor.segment != n.segment) defect("node `{}` reads `{}` of another segment", n.name, tensor.name);
    if (tensor.producer >= id) defect("node `{}` reads `{}` before it is made", n.name, tensor.name);
    DimList renamed = tensor.dims;
    for (std::size_t k = 0; k < renamed.size(); ++k) {
      for (const auto& [from, to] : in.renames) renamed[k] = tensor.dims[k] == from ? to : renamed[k];
    }
    if (renamed != in.dims) defect("node `{}`: its operand `{}` does not have the renamed dimensions of the tensor", n.name, tensor.name);
  }

  DimList output(NodeId id, const Node& n, std::size_t i) {
    if (!graph_.tensors.has(n.outputs[i])) {
      defect("node `{}` makes a tensor that the graph lacks", n.name);
      return {};
    }
    const Tensor& tensor = graph_.tensors[n.outputs[i]];
    if (tensor.producer != id || tensor.port != i) defect("`{}` is not output {} of node `{}`", tensor.name, i, n.name);
    return tensor.dims;
  }

  void weight(NodeId id, const Node& n, std::size_t i) {
    const WeightUse& use = n.weights[i];
    if (!graph_.weights.has(use.weight)) return defect("node `{}` uses a weight that the graph lacks", n.name);
    const Weight& weight = graph_.weights[use.weight];
    if (!same_set(weight.dims, use.dims)) defect("node `{}` uses weight `{}` with other dimensions", n.name, weight.name);
    if (std::count(weight.uses.begin(), weight.uses.end(), std::make_pair(id, i)) != 1)
      defect("weight `{}` does not list its use by node `{}` once", weight.name, n.name);
  }

  /// Checks that segments partition the nodes into consecutive ranges in order, and that each node refers back to its
  /// segment. The output of a segment must be its own, and its inputs must come from earlier segments.
  void segments() {
    NodeId next(0);
    for (const SegmentId s : graph_.segments.ids()) {
      const Segment& segment = graph_.segments[s];
      if (segment.first != next || segment.last < segment.first) defect("segment `{}` does not begin where the one before it ends", segment.name);
      next = segment.last;
      for (NodeId id = segment.first; id < segment.last && graph_.nodes.has(id); ++id) {
        if (graph_.nodes[id].segment != s) defect("node `{}` is not marked as part of segment `{}`", graph_.nodes[id].name, segment.name);
      }
      if (segment.output && (!graph_.tensors.has(segment.output) || graph_.tensors[segment.output].segment != s)) {
        defect("the output of segment `{}` is not its own", segment.name);
      }
      sources(segment, s);
    }
    if (next != graph_.nodes.next()) defect("{} nodes are in no segment", graph_.nodes.next() - next);
  }

  void sources(const Segment& segment, SegmentId s) {
    if (segment.inputs.size() != segment.sources.size()) return defect("segment `{}` has inputs without sources", segment.name);
    for (std::size_t i = 0; i < segment.inputs.size(); ++i) {
      if (!graph_.tensors.has(segment.inputs[i])) {
        defect("segment `{}` has an input that the graph lacks", segment.name);
      } else if (!graph_.tensors[segment.inputs[i]].data && (!graph_.tensors.has(segment.sources[i]) || graph_.tensors[segment.sources[i]].segment >= s)) {
        defect("input `{}` does not come from an earlier segment", graph_.tensors[segment.inputs[i]].name);
      }
    }
  }

  const Graph& graph_;
  std::vector<std::string> defects_;
};

}  // namespace

std::vector<std::string> verify(const Graph& graph) { return GraphVerifier(graph).run(); }

}  // namespace opledger
