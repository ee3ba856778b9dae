#include "rules/forward.h"

#include <algorithm>

#include "rules/emit.h"
#include "rules/reshard.h"

namespace opledger {

namespace {

/// Partial terms of a sum that are added before one common collective.
struct Terms {
  Placement source, target;
  std::vector<TensorId> tensors;
};

/// One pass over nodes in order. `copies` maps each tensor to its available placements. A node's inputs are delivered
/// from the best source by a transition; outputs start with the placement that the node produces. Partial operands of a
/// sum are not reduced separately: terms of equal source and target are added locally and share one collective.
class Forward {
 public:
  Forward(Derivation& d, const Segment& segment, Phase phase, CopiesOf copies) : d_(d), segment_(segment), phase_(phase), copies_(copies) {}

  /// Delivers each input of a node in the placement that the node requires, then sets the placements of its outputs. In
  /// the forward pass, `choose_summand` first selects the one partial input that may stay partial through the node. At
  /// a node that adds its inputs (`sum`), a partial input without another reader stays unreduced until all inputs are
  /// known (`sums`). Inputs of equal source and target are added on each rank and share one collective. Sums whose
  /// placements differ only over single-rank axes could be merged. `query_mergeable` therefore asks whether such axes
  /// have one rank; an axis of one rank is removed, and the derivation restarts. A saved output is available already
  /// when forward runs again.
  void node(NodeId id) {
    const Node& node = d_.graph.nodes[id];
    std::vector<Terms> sums;
    if (phase_ == Phase::forward) choose_summand(id);
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const Operand& input = node.inputs[i];
      if (at(input.tensor).empty()) continue;  // Every rank reads its own part from the data loader.
      Placement target = required_placement(d_, id, i);
      if (node.op->sum && is_deferred(input.tensor)) {
        add(sums, input.tensor, target);
      } else {
        deliver(input.tensor, target, {id, {}});
      }
    }
    std::vector<PlacementChange> changes;
    for (const Terms& terms : sums) changes.push_back({terms.source, terms.target});
    query_mergeable(d_, changes);
    for (const Terms& terms : sums) reduce(terms, {id, {}});
    derive_inner(d_, id, phase_);
    for (TensorId t : node.outputs) {
      if (node.op->sum) {
        at(t) = {operand(d_.of(id), d_.tensor(t).dims)};
      } else if (at(t).empty()) {
        at(t) = {output_placement(d_, id, d_.tensor(t).dims, d_.of(id).summed)};
      }
    }
  }

  /// Delivers one input tensor to a node, as `node` does.
  void deliver_to(NodeId id, TensorId t) {
    const Node& node = d_.graph.nodes[id];
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i].tensor != t) continue;
      const Placement target = required_placement(d_, id, i);
      if (node.op->sum && is_deferred(t)) {
        reduce({at(t).front(), target, {t}}, {id, {}});
      } else {
        deliver(t, target, {id, {}});
      }
    }
  }

  /// Delivers a tensor in the placement `target`. The copy remains available, so equal needs share one collective.
  void deliver(TensorId t, const Placement& target, Endpoint reader) {
    std::vector<Placement>& available = at(t);
    if (contains(available, target)) return deliveries_.join(d_, t, target, reader.node);
    deliveries_.query_same(d_, t, target);
    Transfer transfer = tensor_transfer(d_, phase_, t, reader);
    name_tensors(d_, transfer, {t});
    const std::size_t before = d_.out.transfers.size();
    const Placement& source = target.partial.empty() ? choose_source(d_, available, target) : available.front();  // Only its producer leaves a tensor partial.
    emit(d_, transfer, reshard(d_, source, target), reader, {d_.maker(t)});
    available.push_back(target);
    deliveries_.add(t, target, before, d_.out.transfers.size());
  }

 private:
  std::vector<Placement>& at(TensorId t) { return copies_(t); }

  /// Selects the first passing input that is partial over axes which the node does not split; its sum remains partial.
  /// Only one input may do so, because a product of two sums is not the sum of the products.
  void choose_summand(NodeId id) {
    NodePlacement& placement = d_.of(id);
    for (std::int32_t i : placement.linear_inputs) {
      const std::vector<Placement>& available = at(d_.graph.nodes[id].inputs[i].tensor);
      if (available.empty()) continue;
      for (AxisId a : available.front().partial) {
        if (!splits(placement, a)) placement.summed.push_back(a);
      }
      if (placement.summed.empty()) continue;
      if (placement.linear_inputs.size() > 1) d_.ones.query_until_several(d_.out.mesh, placement.summed);
      placement.summand = i;
      return;
    }
  }

  /// Returns whether a partial tensor stays unreduced until a sum: the sum must be its only reader.
  bool is_deferred(TensorId t) { return !at(t).front().partial.empty() && t != segment_.output && d_.readers[t].size() == 1; }

  static void add(std::vector<Terms>& sums, TensorId t, const Placement& target, const Placement& source) {
    auto found = std::find_if(sums.begin(), sums.end(), [&](const Terms& terms) { return terms.source == source && terms.target == target; });
    if (found == sums.end()) found = sums.insert(sums.end(), {source, target, {}});
    found->tensors.push_back(t);
  }
  void add(std::vector<Terms>& sums, TensorId t, const Placement& target) { add(sums, t, target, at(t).front()); }

  void reduce(const Terms& terms, Endpoint reader) {
    Transfer transfer = tensor_transfer(d_, phase_, terms.tensors.front(), reader);
    transfer.terms = static_cast<std::int32_t>(terms.tensors.size());
    name_tensors(d_, transfer, terms.tensors);
    std::vector<Endpoint> makers;
    for (TensorId t : terms.tensors) makers.push_back(d_.maker(t));
    const std::vector<Step> steps = reshard(d_, terms.source, terms.target);
    if (makers.size() > 1) query_partial(d_, terms.source, steps);
    emit(d_, transfer, steps, reader, makers);
  }

  Derivation& d_;
  const Segment& segment_;
  Phase phase_;
  CopiesOf copies_;
  Deliveries deliveries_;
};

}  // namespace

void derive_forward(Derivation& d, const Segment& segment, Phase phase, const std::vector<NodeId>& nodes, CopiesOf copies) {
  for (TensorId t : segment.inputs) {
    if (copies(t).empty() && !d.tensor(t).data) copies(t) = {d.out.inputs[t]};
  }
  Forward forward(d, segment, phase, copies);
  for (NodeId node : nodes) forward.node(node);
}

void deliver_tensor(Derivation& d, const Segment& segment, Phase phase, TensorId t, const std::vector<NodeId>& readers, CopiesOf copies) {
  Forward forward(d, segment, phase, copies);
  for (const NodeId reader : readers) forward.deliver_to(reader, t);
}

bool is_read_between_segments(const Derivation& d, const Segment& segment) {
  if (!segment.output) return false;
  if (segment.repeat || !d.tensor(segment.output).dims.empty()) return true;
  return std::any_of(d.graph.segments.begin(), d.graph.segments.end(), [&](const Segment& other) { return contains(other.sources, segment.output); });
}

void deliver_output(Derivation& d, const Segment& segment, CopiesOf copies) {
  if (!is_read_between_segments(d, segment) || copies(segment.output).empty()) return;
  Forward(d, segment, Phase::forward, copies).deliver(segment.output, d.out.inputs[segment.output], {{}, segment.output});
}

}  // namespace opledger
