#include "graph/unread.h"

#include <fmt/format.h>

#include <algorithm>

namespace opledger {
namespace {

/// By TensorId.
std::vector<bool> read_tensors(const Graph& graph) {
  std::vector<bool> read(graph.tensors.size());
  const auto mark = [&](TensorId t) {
    if (t >= 0) read[static_cast<std::size_t>(t)] = true;
  };
  for (std::size_t id = 0; id < graph.nodes(); ++id) {
    for (const Operand& input : graph.node(static_cast<NodeId>(id)).inputs) mark(input.tensor);
  }
  for (std::size_t s = 0; s < graph.segments.size(); ++s) {
    const Segment& segment = graph.segments[s];
    for (const TensorId source : segment.sources) mark(source);
    const bool hands_on = segment.repeat != nullptr && !segment.inputs.empty();  // from layer to layer
    if (s + 1 == graph.segments.size() || hands_on) mark(segment.output);
  }
  return read;
}

}  // namespace

void warn_of_unread(const Graph& graph, Diagnostics& diagnostics) {
  const std::vector<bool> read = read_tensors(graph);
  for (std::size_t id = 0; id < graph.nodes(); ++id) {
    const Node& node = graph.node(static_cast<NodeId>(id));
    const auto wanted = [&](TensorId t) { return read[static_cast<std::size_t>(t)] || graph.tensors[static_cast<std::size_t>(t)].dims.empty(); };
    if (node.outputs.empty() || std::any_of(node.outputs.begin(), node.outputs.end(), wanted)) continue;
    diagnostics.warning(node.span,
                        fmt::format("nothing reads `{}`: its work{} counted all the same", node.name, node.weights.empty() ? " is" : " and its weights are"));
  }
}

}  // namespace opledger
