#include "graph/graph.h"

#include <algorithm>

namespace opledger {

DimId Graph::dimension(std::string_view name) const {
  return dimensions.find([&](const DimensionInfo& info) { return info.name == name; });
}

/// Ports are searched in the order inputs, outputs, weights, attributes; names are unique within an operator.
const DimList* Graph::port(NodeId id, std::string_view name) const {
  const Node& n = nodes[id];
  if (std::size_t i = position(n.op->inputs, name); i < n.inputs.size()) return &n.inputs[i].dims;
  if (std::size_t i = position(n.op->outputs, name); i < n.outputs.size()) return &tensors[n.outputs[i]].dims;
  if (std::size_t i = position(n.op->weights, name); i < n.weights.size()) return &n.weights[i].dims;
  auto attribute = n.attributes.find(name);
  return attribute == n.attributes.end() ? nullptr : &attribute->second;
}

bool Graph::same_for_layers(const Segment& segment, TensorId input) const {
  bool reads = contains(segment.inputs, input);
  return segment.repeat && reads && (tensors[input].data || input != segment.inputs.front());
}

TensorId Graph::origin(TensorId input) const {
  const Segment& segment = segments[tensors[input].segment];
  auto found = std::find(segment.inputs.begin(), segment.inputs.end(), input);
  return found == segment.inputs.end() ? TensorId() : segment.sources[found - segment.inputs.begin()];
}

}  // namespace opledger
