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

template <class List>
bool within(std::int32_t id, const List& list) {
  return id >= 0 && static_cast<std::size_t>(id) < list.size();
}

/// One function per invariant; each stands for a sentence of graph/graph.h.
class GraphVerifier {
 public:
  explicit GraphVerifier(const Graph& graph) : graph_(graph) {}

  std::vector<std::string> run() {
    for (const Tensor& tensor : graph_.tensors) dimensions(tensor.name, tensor.dims);
    for (const Weight& weight : graph_.weights) dimensions(weight.name, weight.dims);
    for (std::size_t id = 0; id < graph_.nodes(); ++id) node(static_cast<NodeId>(id));
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
      if (!within(d, graph_.dimensions)) defect("`{}` has a dimension that the graph lacks", name);
    }
  }

  void node(NodeId id) {
    const Node& n = graph_.node(id);
    if (!n.op) return defect("node `{}` has no operator", n.name);
    if (!within(n.segment, graph_.segments)) defect("node `{}` is in no segment", n.name);
    if (n.inputs.size() != n.op->inputs.size()) defect("node `{}` has {} inputs, its operator {}", n.name, n.inputs.size(), n.op->inputs.size());
    if (n.outputs.size() != n.op->outputs.size()) defect("node `{}` has {} outputs, its operator {}", n.name, n.outputs.size(), n.op->outputs.size());
    if (n.weights.size() != n.op->weights.size()) defect("node `{}` has {} weights, its operator {}", n.name, n.weights.size(), n.op->weights.size());
    DimList all;
    for (const Operand& input : n.inputs) all = join(all, input.dims);
    for (std::size_t i = 0; i < n.inputs.size(); ++i) operand(id, n, static_cast<std::int32_t>(i));
    for (std::size_t i = 0; i < n.outputs.size(); ++i) all = join(all, output(id, n, i));
    for (std::size_t i = 0; i < n.weights.size(); ++i) {
      weight(id, n, static_cast<std::int32_t>(i));
      all = join(all, n.weights[i].dims);
    }
    if (all != n.dims) defect("node `{}`: its dimensions are not those of its operands, outputs and weights", n.name);
  }

  void operand(NodeId id, const Node& n, std::int32_t i) {
    const Operand& in = n.inputs[static_cast<std::size_t>(i)];
    dimensions(n.name, in.dims);
    if (!within(in.tensor, graph_.tensors)) return defect("node `{}` reads a tensor that the graph lacks", n.name);
    const Tensor& tensor = graph_.tensors[in.tensor];
    if (tensor.segment != n.segment) defect("node `{}` reads `{}` of another segment", n.name, tensor.name);
    if (tensor.producer >= id) defect("node `{}` reads `{}` before it is made", n.name, tensor.name);
    DimList renamed = tensor.dims;
    for (std::size_t k = 0; k < renamed.size(); ++k) {
      for (const auto& [from, to] : in.renames) renamed[k] = tensor.dims[k] == from ? to : renamed[k];
    }
    if (renamed != in.dims) defect("node `{}`: what it reads of `{}` is not the tensor's dimensions renamed", n.name, tensor.name);
  }

  DimList output(NodeId id, const Node& n, std::size_t i) {
    if (!within(n.outputs[i], graph_.tensors)) {
      defect("node `{}` makes a tensor that the graph lacks", n.name);
      return {};
    }
    const Tensor& tensor = graph_.tensors[n.outputs[i]];
    if (tensor.producer != id || tensor.port != static_cast<std::int32_t>(i)) defect("`{}` is not output {} of node `{}`", tensor.name, i, n.name);
    return tensor.dims;
  }

  void weight(NodeId id, const Node& n, std::int32_t i) {
    const WeightUse& use = n.weights[static_cast<std::size_t>(i)];
    if (!within(use.weight, graph_.weights)) return defect("node `{}` uses a weight that the graph lacks", n.name);
    const Weight& weight = graph_.weights[use.weight];
    if (!same_set(weight.dims, use.dims)) defect("node `{}` uses weight `{}` with other dimensions", n.name, weight.name);
    if (std::count(weight.uses.begin(), weight.uses.end(), std::make_pair(id, i)) != 1)
      defect("weight `{}` does not list its use by node `{}` once", weight.name, n.name);
  }

  void segments() {
    NodeId next = 0;
    for (std::size_t s = 0; s < graph_.segments.size(); ++s) {
      const Segment& segment = graph_.segments[s];
      if (segment.first != next || segment.last < segment.first) defect("segment `{}` does not begin where the one before it ends", segment.name);
      next = segment.last;
      for (NodeId id = segment.first; id < segment.last && id < static_cast<NodeId>(graph_.nodes()); ++id) {
        if (graph_.node(id).segment != static_cast<SegmentId>(s)) defect("node `{}` is not marked as part of segment `{}`", graph_.node(id).name, segment.name);
      }
      if (segment.output >= 0 && (!within(segment.output, graph_.tensors) || graph_.tensors[segment.output].segment != static_cast<SegmentId>(s))) {
        defect("the output of segment `{}` is not its own", segment.name);
      }
      sources(segment, static_cast<SegmentId>(s));
    }
    if (next != static_cast<NodeId>(graph_.nodes())) defect("{} nodes are in no segment", static_cast<NodeId>(graph_.nodes()) - next);
  }

  void sources(const Segment& segment, SegmentId s) {
    if (segment.inputs.size() != segment.sources.size()) return defect("segment `{}` has inputs without sources", segment.name);
    for (std::size_t i = 0; i < segment.inputs.size(); ++i) {
      if (!within(segment.inputs[i], graph_.tensors)) {
        defect("segment `{}` has an input that the graph lacks", segment.name);
      } else if (!graph_.tensors[segment.inputs[i]].data && (!within(segment.sources[i], graph_.tensors) || graph_.tensors[segment.sources[i]].segment >= s)) {
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
