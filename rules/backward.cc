#include "rules/backward.h"

#include <algorithm>
#include <map>

#include "rules/emit.h"
#include "rules/forward.h"
#include "rules/reshard.h"
#include "rules/saved.h"

namespace opledger {

namespace {

/// One contribution to the gradient of a tensor.
struct Term {
  Placement placement;
  Party maker;
};

class Backward {
 public:
  Backward(Derivation& d, const Segment& segment) : d_(d), segment_(segment) {}

  void run() {
    recompute();
    begin();
    for (NodeId n = segment_.last; n-- > segment_.first;) node(n);
    for (TensorId t : segment_.inputs) {
      if (!at(t).empty()) settle(t, d_.out.inputs[t], {{}, t}, Phase::agrad);
    }
  }

 private:
  std::vector<Term>& at(TensorId t) { return terms_[t]; }

  /// Where a tensor is at hand: as it was kept, as it is made again, and as it was brought since.
  std::vector<Placement>& copies(TensorId t) {
    const auto [found, fresh] = copies_.try_emplace(t, d_.kept[t]);
    if (fresh && recomputes_) found->second.insert(found->second.end(), d_.rebuilt[t].begin(), d_.rebuilt[t].end());
    return found->second;
  }

  void recompute() {
    std::vector<NodeId> nodes;
    for (const NodeId n : segment_.nodes()) {
      if (d_.recomputed(n)) nodes.push_back(n);
    }
    recomputes_ = !nodes.empty();
    if (!recomputes_) return;
    std::map<TensorId, std::vector<Placement>> again;
    derive_forward(d_, segment_, Phase::recompute, nodes,
                   [&](TensorId t) -> std::vector<Placement>& { return again.try_emplace(t, d_.kept[t]).first->second; });
  }

  /// Gradients come from the next segment, and begin at what nobody reads: losses.
  void begin() {
    TensorId out = segment_.output;
    if (goes_home(d_, segment_) && d_.needs_gradient(out)) at(out).push_back({d_.out.inputs[out], {{}, out}});
    for (const NodeId n : segment_.nodes()) {
      for (TensorId t : d_.graph.nodes[n].outputs) {
        bool last = d_.readers[t].empty() && at(t).empty();
        if (last && d_.needs_gradient(t)) at(t).push_back({operand(d_.of(n), d_.tensor(t).dims), {n, {}}});
      }
    }
  }

  void node(NodeId id) {
    const Node& node = d_.graph.nodes[id];
    auto needs = [&](const Operand& input) { return d_.needs_gradient(input.tensor); };
    Phase phase = std::any_of(node.inputs.begin(), node.inputs.end(), needs) ? Phase::agrad : Phase::wgrad;
    bool reached = false;
    for (TensorId t : node.outputs) {
      if (at(t).empty()) continue;
      reached = true;
      Placement target = operand(d_.of(id), d_.tensor(t).dims);
      target.partial = through(id);
      for (AxisId a : target.partial) pass(id, a);
      settle(t, target, {id, {}}, phase);
    }
    if (!reached) return;
    for (const Read& read : reads_of(d_, id)) regather(read);
    contribute(id);
    derive_inner(d_, id, Phase::agrad);
  }

  /// Axes used up by a node that they do not split, and all that are free in a node that passes sums on: where all terms are partial over one, the sum stays
  /// so and is handed on (gradients are linear in dy), unless what dy is multiplied with is partial over it too.
  AxisList through(NodeId id) {
    const NodePlacement& placement = d_.of(id);
    AxisList axes;
    for (AxisId a : placement.passing.empty() ? placement.spent : d_.grid.order) {
      bool free = !splits(placement, a) && !contains(placement.summed, a);
      const std::vector<TensorId>& outputs = d_.graph.nodes[id].outputs;
      if (free && std::all_of(outputs.begin(), outputs.end(), [&](TensorId t) { return partial(t, a); })) axes.push_back(a);
    }
    std::sort(axes.begin(), axes.end());
    return axes;
  }

  bool partial(TensorId t, AxisId a) {
    return std::all_of(at(t).begin(), at(t).end(), [a](const Term& term) { return contains(term.placement.partial, a); });
  }

  void pass(NodeId id, AxisId a) {
    AxisList& passed = d_.of(id).passed;
    if (!contains(passed, a)) passed.push_back(a);
  }

  /// Terms of equal placement are added where they are, then brought together: one collective for each placement.
  void settle(TensorId t, const Placement& target, Party reader, Phase phase) {
    std::vector<std::pair<Placement, std::vector<Party>>> groups;
    for (const Term& term : at(t)) {
      auto found = std::find_if(groups.begin(), groups.end(), [&](const auto& group) { return group.first == term.placement; });
      if (found == groups.end()) found = groups.insert(groups.end(), {term.placement, {}});
      found->second.push_back(term.maker);
    }
    std::vector<Journey> journeys;
    for (const auto& group : groups) journeys.push_back({group.first, target});
    ask_alike(d_, journeys);
    for (const auto& [placement, makers] : groups) {
      Transfer transfer = tensor_transfer(d_, phase, t, reader);
      transfer.gradient = true;
      transfer.terms = static_cast<std::int32_t>(makers.size());
      name_tensors(d_, transfer, {t});
      emit(d_, transfer, reshard(d_, placement, target), reader, makers);
    }
  }

  void regather(const Read& read) {
    std::vector<Placement>& have = copies(read.tensor);
    if (d_.tensor(read.tensor).data || have.empty()) return;
    if (contains(have, read.placement)) return again_.join(d_, read.tensor, read.placement, read.node);
    again_.ask_same(d_, read.tensor, read.placement);
    Transfer transfer = tensor_transfer(d_, read.input ? Phase::agrad : Phase::wgrad, read.tensor, {read.node, {}});
    transfer.again = true;
    name_tensors(d_, transfer, {read.tensor});
    const std::size_t before = d_.out.transfers.size();
    emit(d_, transfer, reshard(d_, choose_source(d_, have, read.placement), read.placement), {read.node, {}}, {d_.maker(read.tensor)});
    have.push_back(read.placement);
    again_.add(read.tensor, read.placement, before, d_.out.transfers.size());
  }

  void contribute(NodeId id) {
    const Node& node = d_.graph.nodes[id];
    for (const auto& entry : node.op->gradients) {
      int port = input_port(node, entry.first);
      if (port < 0 || !d_.needs_gradient(node, entry.first)) continue;
      const Operand& input = node.inputs[port];
      const Placement left = result(d_, id, input.dims, passed_to(d_, id, entry.first));
      at(input.tensor).push_back({left.renamed(reversed(input.renames)), {id, {}}});
    }
  }

  Derivation& d_;
  const Segment& segment_;
  bool recomputes_ = false;
  std::map<TensorId, std::vector<Term>> terms_;  ///< Of tensors that were looked at, as those below: few of the graph's are the segment's.
  std::map<TensorId, std::vector<Placement>> copies_;
  Deliveries again_;
};

/// Which tensors have a gradient: those that something trained lies before.
class Gradients {
 public:
  explicit Gradients(Derivation& d) : d_(d), needs_(d.out.needs_gradient), around_(d.graph.segments.size(), 0) { needs_.assign(d.graph.tensors.size(), 0); }

  void find() {
    do {
      for (const SegmentId s : d_.graph.segments.ids()) segment(s);
    } while (close_rounds());
  }

 private:
  void segment(SegmentId id) {
    const Segment& segment = d_.graph.segments[id];
    for (std::size_t i = 0; i < segment.inputs.size(); ++i) {
      const TensorId input = segment.inputs[i], source = i < segment.sources.size() ? segment.sources[i] : TensorId();
      const bool wanted = source ? needs_[source] != 0 || (i == 0 && around_[id] != 0) : true;
      needs_[input] = wanted && !d_.tensor(input).data && !d_.tensor(input).constant;
    }
    for (const NodeId n : segment.nodes()) {
      const Node& node = d_.graph.nodes[n];
      const auto trained = [&](const WeightUse& use) { return d_.out.trained[use.weight] != 0; };
      const auto needed = [&](const Operand& input) { return needs_[input.tensor] != 0; };
      const bool wanted = std::any_of(node.weights.begin(), node.weights.end(), trained) || std::any_of(node.inputs.begin(), node.inputs.end(), needed);
      for (TensorId t : node.outputs) needs_[t] = wanted && !d_.tensor(t).constant;
    }
  }

  /// What layers hand on has a gradient in all of them, if it has one behind any: a layer's input is the output of one of the same round before it. So the first
  /// layer is taken to compute the gradient of its input, even if nothing before it is trained. Whether that was news to one of them.
  bool close_rounds() {
    bool news = false;
    for (const SegmentId s : d_.graph.segments.ids()) {
      const bool comes = around_[s] == 0 && d_.graph.segments[s].repeat && any_in_round(s);
      if (comes) around_[s] = 1;
      news |= comes;
    }
    return news;
  }

  bool any_in_round(SegmentId id) const {
    for (const SegmentId s : d_.graph.segments.ids()) {
      const TensorId output = d_.graph.segments[s].output;
      if (output && needs_[output] != 0 && (s == id || take_turns(s, id))) return true;
    }
    return false;
  }

  /// Segments of a group, and parts of a segment that lie evenly among the others.
  bool take_turns(SegmentId a, SegmentId b) const {
    const Segment &one = d_.graph.segments[a], &other = d_.graph.segments[b];
    return (one.group >= 0 && one.group == other.group) || (one.whole == other.whole && (one.even || other.even));
  }

  Derivation& d_;
  IdVector<TensorId, std::uint8_t>& needs_;
  IdVector<SegmentId, std::uint8_t> around_;  ///< Whose input has a gradient because of layers behind it.
};

}  // namespace

void find_gradients(Derivation& d) { Gradients(d).find(); }

void derive_backward(Derivation& d, const Segment& segment) { Backward(d, segment).run(); }

}  // namespace opledger
