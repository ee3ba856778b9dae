#include "rules/fuse.h"

#include <algorithm>

#include "rules/reshard.h"

namespace opledger {

namespace {

NodeId first_of(const Annotations& out, NodeId n) {
  while (out.kernels[n] != n) n = out.kernels[n];
  return n;
}

/// Whether something outside both kernels stands between their nodes: they can't run as one then, for it needs a result of theirs, and they need its.
bool apart(const Derivation& d, const Segment& segment, NodeId a, NodeId b) {
  const auto in_one = [&](NodeId n) { return first_of(d.out, n) == a || first_of(d.out, n) == b; };
  IdVector<TensorId, std::uint8_t> made_outside(d.graph.tensors.size(), 0);  // from their results
  for (NodeId n = std::min(a, b); n < segment.last; ++n) {
    const Node& node = d.graph.nodes[n];
    const bool inside = in_one(n);
    bool reads_theirs = false;
    for (const Operand& input : node.inputs) {
      const NodeId maker = d.tensor(input.tensor).producer;
      if (inside && made_outside[input.tensor] != 0) return true;
      reads_theirs = reads_theirs || made_outside[input.tensor] != 0 || (maker && maker >= segment.first && in_one(maker));
    }
    for (const TensorId t : node.outputs) made_outside[t] = !inside && reads_theirs ? 1 : 0;
  }
  return false;
}

/// The nodes' kernels become one, called by its first node.
void unite(Derivation& d, const Segment& segment, NodeId a, NodeId b) {
  a = first_of(d.out, a);
  b = first_of(d.out, b);
  if (a != b && !apart(d, segment, a, b)) d.out.kernels[std::max(a, b)] = std::min(a, b);
}

/// Returns whether the reader needs the tensor in the placement in which its producer leaves it. Axes of one rank make no difference.
bool reads_as_left(Derivation& d, NodeId reader, std::size_t input, TensorId t) {
  const std::vector<Placement>& have = d.at_hand[t];
  return !have.empty() && same(d, have.front(), wanted(d, reader, input));
}

/// Reads the same as a node before it that the rule matches too; none: there is no such node.
NodeId sibling(Derivation& d, const Segment& segment, const FuseRule& rule, NodeId n) {
  const Node& node = d.graph.nodes[n];
  for (const auto& [other, input] : d.readers[node.inputs[0].tensor]) {
    if (other >= n) break;
    if (other >= segment.first && input == 0 && d.graph.nodes[other].op == node.op && matches(rule.match, d.graph, other) &&
        same(d, wanted(d, other, 0), wanted(d, n, 0)))
      return other;
  }
  return {};
}

void join_matches(Derivation& d, const Segment& segment, const FuseRule& rule) {
  for (const NodeId n : segment.nodes()) {
    const std::vector<Operand>& inputs = d.graph.nodes[n].inputs;
    if (inputs.empty() || !matches(rule.match, d.graph, n)) continue;
    if (rule.beside) {
      if (const NodeId other = sibling(d, segment, rule, n); other) unite(d, segment, n, other);
      continue;
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const NodeId maker = d.tensor(inputs[i].tensor).producer;
      if (maker && maker >= segment.first && matches(rule.match, d.graph, maker) && reads_as_left(d, n, i, inputs[i].tensor)) unite(d, segment, n, maker);
    }
  }
}

/// All who read it belong to its maker's kernel. What nobody reads in forward is there for backward.
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
