#include "graph/annotations.h"

#include <algorithm>
#include <iterator>

namespace opledger {

const char* to_string(Phase phase) {
  static constexpr const char* kNames[] = {"forward", "recompute", "agrad", "wgrad", "optimizer"};
  return kNames[static_cast<std::size_t>(phase)];
}

const char* to_string(Cadence cadence) { return cadence == Cadence::microbatch ? "microbatch" : "step"; }

const char* to_string(Collective kind) {
  static constexpr const char* kNames[] = {"slice", "reduce-scatter", "all-to-all", "all-reduce", "all-gather", "point-to-point"};
  return kNames[static_cast<std::size_t>(kind)];
}

const char* to_string(Marked kind) {
  static constexpr const char* kNames[] = {"message", "saved", "weight", "node", "cached"};
  return kNames[static_cast<std::size_t>(kind)];
}

/// Returns an empty list for dimensions that the node does not split.
const AxisList& NodePlacement::of(DimId d) const {
  static const AxisList kReplicated;
  auto found = std::find_if(axes.begin(), axes.end(), [d](const auto& entry) { return entry.first == d; });
  return found == axes.end() ? kReplicated : found->second;
}

bool Annotations::has_gradient(const Node& node, std::string_view port) const {
  const std::size_t input = position(node.op->inputs, port), weight = position(node.op->weights, port);
  if (input < node.inputs.size()) return needs_gradient[node.inputs[input].tensor] != 0;
  return weight < node.weights.size() && trained[node.weights[weight].weight] != 0;
}

}  // namespace opledger
