#include "rules/kernels.h"

#include <algorithm>

namespace opledger {

namespace {

NodeId first_of(const Annotations& out, NodeId n) {
  while (out.kernels[n] != n) n = out.kernels[n];
  return n;
}

/// The nodes' kernels become one, called by its first node.
void unite(Annotations& out, NodeId a, NodeId b) {
  a = first_of(out, a);
  b = first_of(out, b);
  out.kernels[std::max(a, b)] = std::min(a, b);
}

bool reads_as_left(const Derivation& d, NodeId reader, std::size_t input, TensorId t) {
  const std::vector<Placement>& have = d.at_hand[t];
  return !have.empty() && have.front() == wanted(d, reader, input);
}

/// Reads the same as a node before it that the rule matches too; none: there is no such node.
NodeId sibling(const Derivation& d, const Segment& segment, const FuseRule& rule, NodeId n) {
  const Node& node = d.graph.nodes[n];
  for (const auto& [other, input] : d.readers[node.inputs[0].tensor]) {
    if (other >= n) break;
    if (other >= segment.first && input == 0 && d.graph.nodes[other].op == node.op && matches(rule.match, d.graph, other) &&
        wanted(d, other, 0) == wanted(d, n, 0))
      return other;
  }
  return {};
}

void join_matches(Derivation& d, const Segment& segment, const FuseRule& rule) {
  for (const NodeId n : segment.nodes()) {
    const std::vector<Operand>& inputs = d.graph.nodes[n].inputs;
    if (inputs.empty() || !matches(rule.match, d.graph, n)) continue;
    if (rule.beside) {
      if (const NodeId other = sibling(d, segment, rule, n); other) unite(d.out, n, other);
      continue;
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const NodeId maker = d.tensor(inputs[i].tensor).producer;
      if (maker && maker >= segment.first && matches(rule.match, d.graph, maker) && reads_as_left(d, n, i, inputs[i].tensor)) unite(d.out, n, maker);
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
