#include "graph/graph.h"

#include <algorithm>

namespace opledger {

namespace {

std::size_t position(const std::vector<Port>& ports, std::string_view name) {
  auto found = std::find_if(ports.begin(), ports.end(), [&](const Port& port) { return port.name == name; });
  return static_cast<std::size_t>(found - ports.begin());
}

}  // namespace

DimId Graph::dimension(std::string_view name) const {
  return dimensions.find([&](const DimensionInfo& info) { return info.name == name; });
}

const DimList* Graph::port(NodeId id, std::string_view name) const {
  const Node& n = nodes[id];
  if (std::size_t i = position(n.op->inputs, name); i < n.inputs.size()) return &n.inputs[i].dims;
  if (std::size_t i = position(n.op->outputs, name); i < n.outputs.size()) return &tensors[n.outputs[i]].dims;
  if (std::size_t i = position(n.op->weights, name); i < n.weights.size()) return &n.weights[i].dims;
  auto attribute = n.attributes.find(name);
  return attribute == n.attributes.end() ? nullptr : &attribute->second;
}

bool Graph::same_for_layers(const Segment& segment, TensorId input) const {
  bool reads = std::find(segment.inputs.begin(), segment.inputs.end(), input) != segment.inputs.end();
  return segment.repeat && reads && (tensors[input].data || input != segment.inputs.front());
}

TensorId Graph::origin(TensorId input) const {
  const Segment& segment = segments[tensors[input].segment];
  auto found = std::find(segment.inputs.begin(), segment.inputs.end(), input);
  return found == segment.inputs.end() ? TensorId() : segment.sources[found - segment.inputs.begin()];
}

}  // namespace opledger
