#include "accounting/node_values.h"
#include "accounting/graph_engine.h"
#include "graph/kernels.h"

#include <algorithm>
#include <set>

namespace opledger {
namespace {

constexpr Dimension kByte{{1, 0, 0, 0}};

/// Returns 0, which can be added to any unit.
Value zero(Dimension unit) {
  Value v = number_value(integer(0), unit);
  v.any_unit = true;
  return v;
}

}  // namespace

bool has_agrad(const Graph& graph, const Annotations& annotations, NodeId id) {
  const Node& node = graph.nodes[id];
  return std::any_of(node.op->gradients.begin(), node.op->gradients.end(), [&](const auto& gradient) {
    return position(node.op->inputs, gradient.first) < node.inputs.size() && annotations.has_gradient(node, gradient.first);
  });
}

bool has_wgrad(const Graph& graph, const Annotations& annotations, NodeId id) {
  const Node& node = graph.nodes[id];
  return std::any_of(node.op->gradients.begin(), node.op->gradients.end(), [&](const auto& gradient) {
    return position(node.op->weights, gradient.first) < node.weights.size() && annotations.has_gradient(node, gradient.first);
  });
}

GraphNodeValues::GraphNodeValues(Inquiry& inquiry, const GraphRun& run, std::shared_ptr<Sizes> sizes)
    : inquiry_(inquiry), run_(run), sizes_(std::move(sizes)) {}

Value GraphNodeValues::width(const char* name) {
  const Name* n = inquiry_.program().find(name);
  return n == nullptr ? number_value(integer(1), kByte) : inquiry_.ask(*n);
}

Scalar GraphNodeValues::dims(NodeId node, const DimList& list, WordId extent) {
  if (extent == kWhole) return sizes_->elements(list);
  Scalar n = integer(1);
  for (const DimId d : list) n = sizes_->multiply(n, sizes_->local(d, &run_.annotations->nodes[node].of(d)));
  return n;
}

Scalar GraphNodeValues::volume(NodeId id, WordId extent) {
  const DimList& all = run_.graph->nodes[id].dims;
  DimList counted;
  for (const DimId d : all) {  // A coarse dimension does not count if its fine dimension is present, too.
    const bool coarse =
        std::any_of(run_.graph->grouped.begin(), run_.graph->grouped.end(), [&](const auto& g) { return g.second == d && contains(all, g.first); });
    if (!coarse) counted.push_back(d);
  }
  return dims(id, counted, extent);
}

Value GraphNodeValues::tensor_bytes(NodeId node, const DimList& list, TensorId tensor, WordId extent) {
  const Formula* own = run_.tensor_widths[tensor];
  const Value w = own != nullptr ? inquiry_.ask(*own) : width("activation_width");
  return number_value(sizes_->multiply(dims(node, list, extent), w.scalar), kByte);
}

Value GraphNodeValues::weight_bytes(NodeId node, const WeightUse& use, const char* name, WordId extent) {
  return number_value(sizes_->multiply(dims(node, use.dims, extent), width(name).scalar), kByte);
}

/// Returns whether an operator reads the tensor in forward, or a segment outputs it. The first call fills `read_`, a
/// truth per tensor, with one pass over all nodes and segments; later calls look it up.
bool GraphNodeValues::is_read(TensorId tensor) {
  const Graph& graph = *run_.graph;
  if (read_.empty()) {
    read_.assign(graph.tensors.size(), 0);
    for (const Node& node : graph.nodes) {
      for (const Operand& in : node.inputs) read_[in.tensor] = 1;
    }
    for (const Segment& segment : graph.segments) {
      if (segment.output) read_[segment.output] = 1;
      for (const TensorId source : segment.sources) {
        if (source) read_[source] = 1;
      }
    }
  }
  return read_[tensor] != 0;
}

bool GraphNodeValues::same_kernel(NodeId a, NodeId b) const { return b && run_.annotations->kernels[a] == run_.annotations->kernels[b]; }

bool GraphNodeValues::inner(TensorId tensor) const { return run_.annotations->inner[tensor] != 0; }

/// Returns whether the kernel reads the tensor from memory at this node: no node of the kernel produces it, and no
/// earlier node of the kernel reads it.
bool GraphNodeValues::comes_in(NodeId id, TensorId tensor) const {
  const NodeId maker = run_.graph->tensors[tensor].producer;
  if (same_kernel(id, maker)) return false;
  for (NodeId n = run_.annotations->kernels[id]; n < id; ++n) {
    const std::vector<Operand>& inputs = run_.graph->nodes[n].inputs;
    if (same_kernel(id, n) && std::any_of(inputs.begin(), inputs.end(), [&](const Operand& in) { return in.tensor == tensor; })) return false;
  }
  return true;
}

bool GraphNodeValues::has_gradient(NodeId id, const std::string& port) const { return run_.annotations->has_gradient(run_.graph->nodes[id], port); }

/// Returns the tensors at `ports`, the inputs and outputs that gradients of the node read. Each tensor comes with the
/// node and the dimensions by which its bytes are counted, because nodes can name and split dimensions differently. A
/// tensor inside a kernel is not stored: backward computes it again, so the stored tensors from which the kernel
/// computes it replace it (`for_origins`). A port that names a weight is skipped; `reads` counts weights.
std::map<TensorId, GraphNodeValues::Read> GraphNodeValues::read_tensors(NodeId id, const std::set<std::string>& ports) const {
  const Node& node = run_.graph->nodes[id];
  std::map<TensorId, Read> out;
  const auto add = [&](NodeId reader, std::size_t in) {
    const Operand& read = run_.graph->nodes[reader].inputs[in];
    out.emplace(read.tensor, Read{reader, &read.dims});
  };
  for (const std::string& port : ports) {
    const std::size_t i = position(node.op->inputs, port), o = position(node.op->outputs, port);
    const TensorId t = i < node.inputs.size() ? node.inputs[i].tensor : o < node.outputs.size() ? node.outputs[o] : TensorId();
    if (t && inner(t))
      for_origins(*run_.graph, *run_.annotations, t, add);
    else if (i < node.inputs.size())
      add(id, i);
    else if (t)
      out.emplace(t, Read{id, &run_.graph->tensors[t].dims});
  }
  return out;
}

/// Returns the ports that the gradients of inputs (or of weights) read.
std::set<std::string> GraphNodeValues::read_ports(NodeId id, bool of_weights) const {
  const Node& node = run_.graph->nodes[id];
  std::set<std::string> ports;
  for (const auto& [target, read] : node.op->gradients) {
    const bool weight = position(node.op->weights, target) < node.weights.size();
    if (weight == of_weights && has_gradient(id, target)) ports.insert(read.begin(), read.end());
  }
  return ports;
}

/// Returns the bytes that the gradients of a node read from memory, besides the gradients of its outputs. They are the
/// tensors and weights at the ports that the gradients of inputs, or of weights (`of_weights`), read. Each tensor
/// counts once in a kernel, at its first node, so tensors that an earlier node of the kernel reads are removed. Over
/// all nodes of a kernel, the cost is quadratic in their number.
Value GraphNodeValues::reads(NodeId id, bool of_weights, WordId extent) {
  Value total = zero(kByte);
  const auto add = [&](const Value& v) { total = number_value(sizes_->add(total.scalar, v.scalar), kByte); };
  const std::set<std::string> ports = read_ports(id, of_weights);
  std::map<TensorId, Read> tensors = read_tensors(id, ports);
  for (NodeId n = run_.annotations->kernels[id]; n < id; ++n) {
    if (!same_kernel(id, n)) continue;
    for (const auto& [t, _] : read_tensors(n, read_ports(n, of_weights))) tensors.erase(t);
  }
  for (const auto& [t, read] : tensors) add(tensor_bytes(read.node, *read.dims, t, extent));
  const Node& node = run_.graph->nodes[id];
  for (const std::string& port : ports) {
    if (const std::size_t w = position(node.op->weights, port); w < node.weights.size()) add(weight_bytes(id, node.weights[w], "weight_width", extent));
  }
  return total;
}

/// Computes one of the engine's node values by its name (graph_engine.cc lists them). Each is a sum over inputs,
/// outputs, weights or gradients of the node, in elements or bytes. `extent` selects sizes on one rank or of the whole
/// tensors. Sums of bytes leave out tensors that never leave a kernel (`inner`); `input_bytes` counts an input of a
/// kernel at its first reader only. Nothing if the engine has no value of this name.
std::optional<Value> GraphNodeValues::derived(NodeId id, const std::string& name, WordId extent) {
  const Graph& graph = *run_.graph;
  const Node& node = graph.nodes[id];
  if (name == "volume") return number_value(volume(id, extent));
  // The suffix decides elements or bytes; the branches below share code for both.
  const bool bytes = name.size() > 6 && name.compare(name.size() - 6, 6, "_bytes") == 0;
  Value total = bytes ? zero(kByte) : zero({});
  const auto add = [&](const Value& v) { total = number_value(sizes_->add(total.scalar, v.scalar), total.unit); };
  const auto tensor = [&](const DimList& list, TensorId t) { add(bytes ? tensor_bytes(id, list, t, extent) : number_value(dims(id, list, extent))); };
  if (name == "input_elements" || name == "input_bytes") {
    for (const Operand& in : node.inputs) {
      if (!bytes || comes_in(id, in.tensor)) tensor(in.dims, in.tensor);
    }
  } else if (name == "output_elements" || name == "output_bytes") {
    for (const TensorId out : node.outputs) {
      if (!bytes || !inner(out)) tensor(graph.tensors[out].dims, out);
    }
  } else if (name == "unread_bytes") {
    for (const TensorId out : node.outputs) {
      if (!is_read(out) && !inner(out)) tensor(graph.tensors[out].dims, out);
    }
  } else if (name == "output_gradient_bytes") {
    for (const TensorId out : node.outputs) {
      if (run_.annotations->needs_gradient[out] != 0 && !inner(out)) tensor(graph.tensors[out].dims, out);
    }
  } else if (name == "input_gradient_bytes") {
    for (const auto& [target, _] : node.op->gradients) {
      const std::size_t i = position(node.op->inputs, target);
      if (i < node.inputs.size() && has_gradient(id, target) && !same_kernel(id, graph.tensors[node.inputs[i].tensor].producer))
        tensor(node.inputs[i].dims, node.inputs[i].tensor);
    }
  } else if (name == "weight_elements") {
    for (const WeightUse& use : node.weights) add(number_value(dims(id, use.dims, extent)));
  } else if (name == "weight_bytes") {
    for (const WeightUse& use : node.weights) add(weight_bytes(id, use, "weight_width", extent));
  } else if (name == "weight_gradient_bytes") {
    for (const auto& [target, _] : node.op->gradients) {
      const std::size_t w = position(node.op->weights, target);
      if (w < node.weights.size() && has_gradient(id, target)) add(weight_bytes(id, node.weights[w], "gradient_width", extent));
    }
  } else if (name == "agrad_read_bytes") {
    return reads(id, false, extent);
  } else if (name == "wgrad_read_bytes") {
    return reads(id, true, extent);
  } else {
    return std::nullopt;
  }
  return total;
}

std::optional<Answer> GraphNodeValues::value(NodeId id, const std::string& name, WordId extent) {
  std::optional<Value> found;
  Answer answer = inquiry_.isolated([&] {
    found = compute(id, name, extent);
    return found.value_or(Value{});
  });
  return found ? std::optional(std::move(answer)) : std::nullopt;
}

/// Finds the value of a name at a node. The name is an argument of the operator, a port (its elements), a dimension of
/// the node (its size), or a value of the engine. Nothing for any other name.
std::optional<Value> GraphNodeValues::compute(NodeId id, const std::string& name, WordId extent) {
  for (const auto& [argument, def] : run_.arguments[id]) {
    if (argument == name && def->otherwise != nullptr) return inquiry_.ask(*def->otherwise);
  }
  if (const DimList* port = run_.graph->port(id, name)) return number_value(dims(id, *port, extent));
  if (const DimId d = run_.graph->dimension(name); d && contains(run_.graph->nodes[id].dims, d)) return number_value(dims(id, {d}, extent));
  return derived(id, name, extent);
}

}  // namespace opledger
