#include "rules/derivation.h"

#include <algorithm>

#include "graph/signature.h"

namespace opledger {

namespace {

int port_of(const std::vector<Port>& ports, std::size_t count, std::string_view name) {
  const std::size_t at = position(ports, name);
  return at < count ? static_cast<int>(at) : -1;
}

/// Returns the dimensions whose splits the node's own statistics reduce.
DimList reduced_dims(const Graph& graph, NodeId node) {
  DimList dims;
  for (const auto& entry : graph.nodes[node].op->inner) dims = join(dims, named_dims(graph, node, entry.first));
  return dims;
}

}  // namespace

bool splits(const NodePlacement& node, AxisId axis) {
  return std::any_of(node.axes.begin(), node.axes.end(), [axis](const auto& entry) { return contains(entry.second, axis); });
}

std::vector<std::pair<DimId, DimId>> reversed(const std::vector<std::pair<DimId, DimId>>& renames) {
  std::vector<std::pair<DimId, DimId>> back;
  for (const auto& [from, to] : renames) back.emplace_back(to, from);
  return back;
}

Placement operand(const NodePlacement& node, const DimList& dims) {
  Placement placement;
  for (DimId d : dims) placement.set(d, node.of(d));
  return placement;
}

Placement required_placement(const Derivation& d, NodeId node, std::size_t input) {
  const Operand& read = d.graph.nodes[node].inputs[input];
  Placement placement = operand(d.of(node), read.dims).renamed(reversed(read.renames));
  if (d.of(node).summand == static_cast<std::int32_t>(input)) placement.partial = d.of(node).summed;
  return placement;
}

AxisList passed_to(const Derivation& d, NodeId id, std::string_view port) {
  const NodePlacement& placement = d.of(id);
  AxisList axes = placement.passed;
  if (placement.summand < 0) return axes;
  const Operator& op = *d.graph.nodes[id].op;
  const std::string& summand = op.inputs[placement.summand].name;
  for (const auto& [target, reads] : op.gradients) {
    if (target == port && contains(reads, summand)) axes.insert(axes.end(), placement.summed.begin(), placement.summed.end());
  }
  return axes;
}

/// A matrix product (GEMM) that is split over a contracted dimension leaves partial sums: every axis that splits a
/// dimension of the node, and that the result's dimensions do not mention, makes the result partial. Dimensions with
/// inner reductions are exempt, because the node itself sums over them.
Placement output_placement(const Derivation& d, NodeId node, const DimList& dims, const AxisList& passed) {
  Placement placement = operand(d.of(node), dims);
  DimList reduced = reduced_dims(d.graph, node);
  AxisList partial = passed;
  for (const auto& [dimension, axes] : d.of(node).axes) {
    if (!contains(reduced, dimension)) partial.insert(partial.end(), axes.begin(), axes.end());
  }
  std::sort(partial.begin(), partial.end());
  partial.erase(std::unique(partial.begin(), partial.end()), partial.end());
  for (AxisId a : partial) {
    if (!placement.mentions(a)) placement.partial.push_back(a);
  }
  return placement;
}

int input_port(const Node& node, std::string_view name) { return port_of(node.op->inputs, node.inputs.size(), name); }
int output_port(const Node& node, std::string_view name) { return port_of(node.op->outputs, node.outputs.size(), name); }

RuleId rule_for(const NodePlacement& placement, AxisId axis) {
  auto found = std::find_if(placement.why.begin(), placement.why.end(), [axis](const auto& entry) { return entry.first == axis; });
  return found == placement.why.end() ? RuleId() : found->second;
}

}  // namespace opledger
