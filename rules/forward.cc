#include "rules/forward.h"

#include <algorithm>

#include "rules/emit.h"
#include "rules/reshard.h"

namespace opledger {

namespace {

/// Partial results that a sum adds before it brings them to where it needs them.
struct Terms {
  Placement source, target;
  std::vector<TensorId> tensors;
};

class Forward {
 public:
  Forward(Derivation& d, const Segment& segment, Phase phase, CopiesOf copies) : d_(d), segment_(segment), phase_(phase), copies_(copies) {}

  void node(NodeId id) {
    const Node& node = d_.graph.nodes[id];
    std::vector<Terms> sums;
    if (phase_ == Phase::forward) let_through(id);
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const Operand& input = node.inputs[i];
      if (at(input.tensor).empty()) continue;  // from the data loader: every rank reads what it needs
      Placement target = wanted(d_, id, i);
      if (node.op->sum && waits(input.tensor)) {
        add(sums, input.tensor, target);
      } else {
        bring(input.tensor, target, {id, {}});
      }
    }
    std::vector<Journey> journeys;
    for (const Terms& terms : sums) journeys.push_back({terms.source, terms.target});
    ask_alike(d_, journeys);
    for (const Terms& terms : sums) settle(terms, {id, {}});
    derive_inner(d_, id, phase_);
    for (TensorId t : node.outputs) {
      if (node.op->sum) {
        at(t) = {operand(d_.of(id), d_.tensor(t).dims)};
      } else if (at(t).empty()) {
        at(t) = {result(d_, id, d_.tensor(t).dims, d_.of(id).summed)};
      }
    }
  }

  /// The result stays at hand, so equal needs share one collective.
  void bring(TensorId t, const Placement& target, Party reader) {
    std::vector<Placement>& have = at(t);
    if (contains(have, target)) return brought_.join(d_, t, target, reader.node);
    brought_.ask_same(d_, t, target);
    Transfer transfer = tensor_transfer(d_, phase_, t, reader);
    name_tensors(d_, transfer, {t});
    const std::size_t before = d_.out.transfers.size();
    const Placement& source = target.partial.empty() ? choose_source(d_, have, target) : have.front();  // only its producer leaves a tensor partial
    emit(d_, transfer, reshard(d_, source, target), reader, {d_.maker(t)});
    have.push_back(target);
    brought_.add(t, target, before, d_.out.transfers.size());
  }

 private:
  std::vector<Placement>& at(TensorId t) { return copies_(t); }

  /// The first of the passing inputs that is partial over axes which the node leaves free stays so. It can be only one: a product of two sums is none.
  void let_through(NodeId id) {
    NodePlacement& placement = d_.of(id);
    for (std::int32_t i : placement.passing) {
      const std::vector<Placement>& have = at(d_.graph.nodes[id].inputs[i].tensor);
      if (have.empty()) continue;
      for (AxisId a : have.front().partial) {
        if (!splits(placement, a)) placement.summed.push_back(a);
      }
      if (placement.summed.empty()) continue;
      if (placement.passing.size() > 1) d_.ones.ask_until_more(d_.out.mesh, placement.summed);
      placement.summand = i;
      return;
    }
  }

  /// A partial sum that only this sum reads is not settled before it.
  bool waits(TensorId t) { return !at(t).front().partial.empty() && t != segment_.output && d_.readers[t].size() == 1; }

  static void add(std::vector<Terms>& sums, TensorId t, const Placement& target, const Placement& source) {
    auto found = std::find_if(sums.begin(), sums.end(), [&](const Terms& terms) { return terms.source == source && terms.target == target; });
    if (found == sums.end()) found = sums.insert(sums.end(), {source, target, {}});
    found->tensors.push_back(t);
  }
  void add(std::vector<Terms>& sums, TensorId t, const Placement& target) { add(sums, t, target, at(t).front()); }

  void settle(const Terms& terms, Party reader) {
    Transfer transfer = tensor_transfer(d_, phase_, terms.tensors.front(), reader);
    transfer.terms = static_cast<std::int32_t>(terms.tensors.size());
    name_tensors(d_, transfer, terms.tensors);
    std::vector<Party> makers;
    for (TensorId t : terms.tensors) makers.push_back(d_.maker(t));
    const std::vector<Step> way = reshard(d_, terms.source, terms.target);
    if (makers.size() > 1) ask_partial(d_, terms.source, way);
    emit(d_, transfer, way, reader, makers);
  }

  Derivation& d_;
  const Segment& segment_;
  Phase phase_;
  CopiesOf copies_;
  Deliveries brought_;
};

}  // namespace

void derive_forward(Derivation& d, const Segment& segment, Phase phase, const std::vector<NodeId>& nodes, CopiesOf copies) {
  for (TensorId t : segment.inputs) {
    if (copies(t).empty() && !d.tensor(t).data) copies(t) = {d.out.inputs[t]};
  }
  Forward forward(d, segment, phase, copies);
  for (NodeId node : nodes) forward.node(node);
}

bool goes_home(const Derivation& d, const Segment& segment) {
  if (!segment.output) return false;
  if (segment.repeat || !d.tensor(segment.output).dims.empty()) return true;
  return std::any_of(d.graph.segments.begin(), d.graph.segments.end(), [&](const Segment& other) { return contains(other.sources, segment.output); });
}

void bring_home(Derivation& d, const Segment& segment, CopiesOf copies) {
  if (!goes_home(d, segment) || copies(segment.output).empty()) return;
  Forward(d, segment, Phase::forward, copies).bring(segment.output, d.out.inputs[segment.output], {{}, segment.output});
}

}  // namespace opledger
