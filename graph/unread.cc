#include "graph/unread.h"

#include <fmt/format.h>

#include <algorithm>

namespace opledger {
namespace {

/// Returns for each tensor whether something reads it: a node, a later segment, the next layer of a repeated segment,
/// or, for the output of the last segment, the user of the model.
IdVector<TensorId, bool> read_tensors(const Graph& graph) {
  IdVector<TensorId, bool> read(graph.tensors.size());
  const auto mark = [&](TensorId t) {
    if (t) read[t] = true;
  };
  for (const NodeId id : graph.nodes.ids()) {
    for (const Operand& input : graph.nodes[id].inputs) mark(input.tensor);
  }
  for (const Segment& segment : graph.segments) {
    for (const TensorId source : segment.sources) mark(source);
    const bool feeds_next = segment.repeat != nullptr && !segment.inputs.empty();  // The output of each layer is the next layer's input.
    if (&segment == &graph.segments.back() || feeds_next) mark(segment.output);
  }
  return read;
}

}  // namespace

void warn_of_unread(const Graph& graph, Diagnostics& diagnostics) {
  const IdVector<TensorId, bool> read = read_tensors(graph);
  for (const NodeId id : graph.nodes.ids()) {
    const Node& node = graph.nodes[id];
    const auto is_used = [&](TensorId t) { return read[t] || graph.tensors[t].dims.empty(); };
    if (node.outputs.empty() || std::any_of(node.outputs.begin(), node.outputs.end(), is_used)) continue;
    diagnostics.warning(node.span,
                        fmt::format("nothing reads `{}`: its work{} counted all the same", node.name, node.weights.empty() ? " is" : " and its weights are"));
  }
}

}  // namespace opledger
