#include "rules/fuse.h"

#include <algorithm>

#include "rules/reshard.h"

namespace opledger {

namespace {

/// Kernels form a union-find structure over nodes; the root is the first node.
NodeId first_of(const Annotations& out, NodeId n) {
  while (out.kernels[n] != n) n = out.kernels[n];
  return n;
}

/// Returns whether a node outside of two kernels, given by their first nodes, lies on a path between them. The union
/// would then form a cycle: the outside node needs a result of the kernel, and the kernel needs its result. One pass
/// over the nodes in topological order propagates the property "computed outside from a result of the kernels"
/// (`outside`). A node of the kernels that reads such a tensor is the end of such a path. The cost is linear in the
/// graph's tensors and the inputs of the segment's nodes, times the few steps of `first_of`.
bool separated(const Derivation& d, const Segment& segment, NodeId a, NodeId b) {
  const auto in_one = [&](NodeId n) { return first_of(d.out, n) == a || first_of(d.out, n) == b; };
  IdVector<TensorId, std::uint8_t> outside(d.graph.tensors.size(), 0);  // Tensors computed outside from results of the two kernels.
  for (NodeId n = std::min(a, b); n < segment.last; ++n) {
    const Node& node = d.graph.nodes[n];
    const bool inside = in_one(n);
    bool reads_kernels = false;
    for (const Operand& input : node.inputs) {
      const NodeId maker = d.tensor(input.tensor).producer;
      if (inside && outside[input.tensor] != 0) return true;
      reads_kernels = reads_kernels || outside[input.tensor] != 0 || (maker && maker >= segment.first && in_one(maker));
    }
    for (const TensorId t : node.outputs) outside[t] = !inside && reads_kernels ? 1 : 0;
  }
  return false;
}

/// Unites the kernels of two nodes unless a path outside separates them.
void fuse(Derivation& d, const Segment& segment, NodeId a, NodeId b) {
  a = first_of(d.out, a);
  b = first_of(d.out, b);
  if (a != b && !separated(d, segment, a, b)) d.out.kernels[std::max(a, b)] = std::min(a, b);
}

/// Returns whether the reader needs the tensor in the placement of its producer, not counting single-rank axes.
bool reads_as_produced(Derivation& d, NodeId reader, std::size_t input, TensorId t) {
  const std::vector<Placement>& available = d.available[t];
  return !available.empty() && same(d, available.front(), required_placement(d, reader, input));
}

/// Returns the first earlier node that matches the rule and has the same operator and first input, in the same
/// placement; none if no node qualifies.
NodeId sibling(Derivation& d, const Segment& segment, const FuseRule& rule, NodeId n) {
  const Node& node = d.graph.nodes[n];
  for (const auto& [other, input] : d.readers[node.inputs[0].tensor]) {
    if (other >= n) break;
    if (other >= segment.first && input == 0 && d.graph.nodes[other].op == node.op && d.index.selects(rule.match, other) &&
        same(d, required_placement(d, other, 0), required_placement(d, n, 0)))
      return other;
  }
  return {};
}

void join_matches(Derivation& d, const Segment& segment, const FuseRule& rule) {
  for (const NodeId n : segment.nodes()) {
    const std::vector<Operand>& inputs = d.graph.nodes[n].inputs;
    if (inputs.empty() || !d.index.selects(rule.match, n)) continue;
    if (rule.by_input) {
      if (const NodeId other = sibling(d, segment, rule, n); other) fuse(d, segment, n, other);
      continue;
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const NodeId maker = d.tensor(inputs[i].tensor).producer;
      if (maker && maker >= segment.first && d.index.selects(rule.match, maker) && reads_as_produced(d, n, i, inputs[i].tensor)) fuse(d, segment, n, maker);
    }
  }
}

/// Returns whether all readers belong to the producer's kernel. A tensor without readers in forward is read by
/// backward, so it leaves the kernel.
bool stays_inside(const Derivation& d, const Segment& segment, TensorId t) {
  const auto& readers = d.readers[t];
  const NodeId kernel = d.out.kernels[d.tensor(t).producer];
  return t != segment.output && !readers.empty() &&
         std::all_of(readers.begin(), readers.end(), [&](const auto& reader) { return d.out.kernels[reader.first] == kernel; });
}

}  // namespace

void derive_kernels(Derivation& d, const Segment& segment) {
  for (const NodeId n : segment.nodes()) d.out.kernels[n] = n;
  for (const FuseRule& rule : d.rules.fuse) join_matches(d, segment, rule);
  for (const NodeId n : segment.nodes()) d.out.kernels[n] = first_of(d.out, n);
  for (const NodeId n : segment.nodes()) {
    for (const TensorId t : d.graph.nodes[n].outputs) d.out.inner[t] = stays_inside(d, segment, t) ? 1 : 0;
  }
}

}  // namespace opledger
