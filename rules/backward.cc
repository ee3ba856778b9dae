#include "rules/backward.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "rules/emit.h"
#include "rules/forward.h"
#include "rules/reshard.h"
#include "rules/saved.h"

namespace opledger {

namespace {

/// A contribution to the gradient of a tensor.
struct Term {
  Placement placement;
  Endpoint maker;
};

/// Reverse-mode differentiation over placements. Nodes are visited in reverse order. At each node, the terms of its
/// outputs' gradients are reduced into the placement that the node needs. Saved operands are gathered again, and the
/// node contributes terms to the gradients of its inputs. Recomputation runs first, as a second forward over the
/// selected nodes.
class Backward {
 public:
  Backward(Derivation& d, const Segment& segment) : d_(d), segment_(segment) {}

  void run() {
    recompute();
    begin();
    for (NodeId n = segment_.last; n-- > segment_.first;) node(n);
    for (TensorId t : segment_.inputs) {
      if (!at(t).empty()) reduce(t, d_.out.inputs[t], {{}, t}, Phase::agrad);
    }
  }

  /// Derives the transfers of one tensor, as `run` does for all. `readers` are its readers in order. Returns whether the
  /// producer passes partial sums on as its placement says.
  bool run(TensorId t, const std::vector<NodeId>& readers) {
    const NodeId producer = d_.tensor(t).producer;
    bool agrees = true;
    recompute(t, readers);
    if (!d_.needs_gradient(t)) {
      for (auto n = readers.rbegin(); n != readers.rend(); ++n) regather(*n, t);
    } else {
      if (t == segment_.output && is_read_between_segments(d_, segment_)) at(t).push_back({d_.out.inputs[t], {{}, t}});
      for (auto n = readers.rbegin(); n != readers.rend(); ++n) {
        regather(*n, t);
        contribute(*n, [t](TensorId input) { return input == t; });
      }
      Placement target = producer ? operand(d_.of(producer), d_.tensor(t).dims) : d_.out.inputs[t];
      if (producer && !at(t).empty()) target.partial = through(producer);
      agrees = !producer || at(t).empty() || target.partial == sorted(d_.of(producer).passed);
      if (!at(t).empty()) reduce(t, target, {producer, t}, Phase::agrad);
    }
    if (producer && !contains(readers, producer)) regather(producer, t);
    return agrees;
  }

 private:
  std::vector<Term>& at(TensorId t) { return terms_[t]; }

  /// Returns the placements in which a tensor is available in backward: as saved, as recomputed, and as delivered
  /// since.
  std::vector<Placement>& copies(TensorId t) {
    const auto [found, fresh] = copies_.try_emplace(t, d_.saved[t]);
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
    std::map<TensorId, std::vector<Placement>> restored;
    derive_forward(d_, segment_, Phase::recompute, nodes,
                   [&](TensorId t) -> std::vector<Placement>& { return restored.try_emplace(t, d_.saved[t]).first->second; });
  }

  void recompute(TensorId t, const std::vector<NodeId>& readers) {
    std::vector<NodeId> nodes;
    std::copy_if(readers.begin(), readers.end(), std::back_inserter(nodes), [&](NodeId n) { return d_.recomputed(n); });
    const NodeId producer = d_.tensor(t).producer;
    recomputes_ = !nodes.empty() || (producer && d_.recomputed(producer));
    std::vector<Placement> restored = d_.saved[t];
    if (restored.empty() && producer) restored = {output_placement(d_, producer, d_.tensor(t).dims, d_.of(producer).summed)};
    if (!restored.empty()) deliver_tensor(d_, segment_, Phase::recompute, t, nodes, [&](TensorId) -> std::vector<Placement>& { return restored; });
  }

  void regather(NodeId reader, TensorId t) {
    for (const Read& read : reads_of(d_, reader)) {
      if (read.tensor == t) regather(read);
    }
  }

  /// Adds the first terms: the gradient from the next segment, and the gradients of outputs without readers, such as
  /// losses.
  void begin() {
    TensorId out = segment_.output;
    if (is_read_between_segments(d_, segment_) && d_.needs_gradient(out)) at(out).push_back({d_.out.inputs[out], {{}, out}});
    for (const NodeId n : segment_.nodes()) {
      for (TensorId t : d_.graph.nodes[n].outputs) {
        bool last = d_.readers[t].empty() && at(t).empty();
        if (last && d_.needs_gradient(t)) at(t).push_back({operand(d_.of(n), d_.tensor(t).dims), {n, {}}});
      }
    }
  }

  /// Derives the transfers of one node. The terms of each output's gradient (`terms_`) are reduced into the node's
  /// placement of the output, except over axes whose sums the node passes on. Then the operands that its gradients read
  /// are gathered, and the node adds a term to the gradient of each input. A node whose outputs have no gradient does
  /// nothing. The phase of the reductions is agrad if an input needs a gradient, since the first use decides; else
  /// wgrad.
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
      reduce(t, target, {id, {}}, phase);
    }
    if (!reached) return;
    for (const Read& read : reads_of(d_, id)) regather(read);
    contribute(id, [](TensorId) { return true; });
    derive_inner(d_, id, Phase::agrad);
  }

  /// Returns the axes over which a node passes partial gradients on, without reducing them. Gradients are linear in the
  /// output's gradient. So a sum over ranks can wait if every term is partial over the axis and the node does not split
  /// over it. Candidates are the consumed axes, or every axis of a node that passes sums on. An axis over which the
  /// second factor is partial is excluded.
  AxisList through(NodeId id) {
    const NodePlacement& placement = d_.of(id);
    AxisList axes;
    for (AxisId a : placement.linear_inputs.empty() ? placement.consumed : d_.grid.order) {
      bool free = !splits(placement, a) && !contains(placement.summed, a);
      const std::vector<TensorId>& outputs = d_.graph.nodes[id].outputs;
      if (free && std::all_of(outputs.begin(), outputs.end(), [&](TensorId t) { return partial(t, a); })) axes.push_back(a);
    }
    std::sort(axes.begin(), axes.end());
    return axes;
  }

  static AxisList sorted(AxisList axes) {
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

  /// Adds the collectives that reduce the gradient of a tensor into the placement `target` at `reader`. Every reader
  /// of the tensor in forward has contributed a term, in its own placement. Terms of equal placement are added locally
  /// first, so that each placement needs one collective. Placements that differ only over single-rank axes are equal
  /// too, hence the query. The gradient is the sum of the results, which needs no message.
  void reduce(TensorId t, const Placement& target, Endpoint reader, Phase phase) {
    std::vector<std::pair<Placement, std::vector<Endpoint>>> groups;
    for (const Term& term : at(t)) {
      auto found = std::find_if(groups.begin(), groups.end(), [&](const auto& group) { return group.first == term.placement; });
      if (found == groups.end()) found = groups.insert(groups.end(), {term.placement, {}});
      found->second.push_back(term.maker);
    }
    std::vector<PlacementChange> changes;
    for (const auto& group : groups) changes.push_back({group.first, target});
    query_mergeable(d_, changes);
    for (const auto& [placement, makers] : groups) {
      Transfer transfer = tensor_transfer(d_, phase, t, reader);
      transfer.gradient = true;
      transfer.terms = static_cast<std::int32_t>(makers.size());
      name_tensors(d_, transfer, {t});
      emit(d_, transfer, reshard(d_, placement, target), reader, makers);
    }
  }

  /// Delivers a saved operand to a gradient in the placement that it reads; equal needs share one delivery.
  void regather(const Read& read) {
    std::vector<Placement>& available = copies(read.tensor);
    if (d_.tensor(read.tensor).data || available.empty()) return;
    if (contains(available, read.placement)) return regathers_.join(d_, read.tensor, read.placement, read.node);
    regathers_.query_same(d_, read.tensor, read.placement);
    Transfer transfer = tensor_transfer(d_, read.input ? Phase::agrad : Phase::wgrad, read.tensor, {read.node, {}});
    transfer.again = true;
    name_tensors(d_, transfer, {read.tensor});
    const std::size_t before = d_.out.transfers.size();
    emit(d_, transfer, reshard(d_, choose_source(d_, available, read.placement), read.placement), {read.node, {}}, {d_.maker(read.tensor)});
    available.push_back(read.placement);
    regathers_.add(read.tensor, read.placement, before, d_.out.transfers.size());
  }

  /// Adds a term to the gradient of each input that needs one, in the placement that the node produces. The term is
  /// partial over the axes of dimensions that the input lacks, and over the axes whose sums the node passes on. Renames
  /// of the operand are undone.
  void contribute(NodeId id, FunctionRef<bool(TensorId)> is_selected) {
    const Node& node = d_.graph.nodes[id];
    for (const auto& entry : node.op->gradients) {
      int port = input_port(node, entry.first);
      if (port < 0 || !d_.needs_gradient(node, entry.first)) continue;
      const Operand& input = node.inputs[port];
      if (!is_selected(input.tensor)) continue;
      const Placement left = output_placement(d_, id, input.dims, passed_to(d_, id, entry.first));
      at(input.tensor).push_back({left.renamed(reversed(input.renames)), {id, {}}});
    }
  }

  Derivation& d_;
  const Segment& segment_;
  bool recomputes_ = false;
  std::map<TensorId, std::vector<Term>> terms_;  ///< Keyed by tensor. Few tensors of the graph are in the segment, so maps are smaller than vectors.
  std::map<TensorId, std::vector<Placement>> copies_;
  Deliveries regathers_;
};

/// Finds tensors that need gradients by propagating forward from trained weights. Layers of a segment read each other,
/// so the propagation repeats until no segment changes. Each round but the last changes at least one segment.
class GradientFinder {
 public:
  explicit GradientFinder(Derivation& d) : d_(d), needs_(d.out.needs_gradient), needed_around_(d.graph.segments.size(), 0) {
    needs_.assign(d.graph.tensors.size(), 0);
  }

  void find() {
    do {
      for (const SegmentId s : d_.graph.segments.ids()) segment(s);
    } while (propagate_around_rounds());
  }

 private:
  /// Finds the tensors of one segment that need gradients (`needs_`). An input needs one if its source does, or, for
  /// the input from layer to layer, if a layer of the same round does (`needed_around_`); an input without source
  /// always does. An output of a node needs one if a weight of the node is trained or an input needs one. Data and
  /// constant tensors have no gradient.
  void segment(SegmentId id) {
    const Segment& segment = d_.graph.segments[id];
    for (std::size_t i = 0; i < segment.inputs.size(); ++i) {
      const TensorId input = segment.inputs[i], source = i < segment.sources.size() ? segment.sources[i] : TensorId();
      const bool is_needed = source ? needs_[source] != 0 || (i == 0 && needed_around_[id] != 0) : true;
      needs_[input] = is_needed && !d_.tensor(input).data && !d_.tensor(input).constant;
    }
    for (const NodeId n : segment.nodes()) {
      const Node& node = d_.graph.nodes[n];
      const auto trained = [&](const WeightUse& use) { return d_.out.trained[use.weight] != 0; };
      const auto needed = [&](const Operand& input) { return needs_[input.tensor] != 0; };
      const bool is_needed = std::any_of(node.weights.begin(), node.weights.end(), trained) || std::any_of(node.inputs.begin(), node.inputs.end(), needed);
      for (TensorId t : node.outputs) needs_[t] = is_needed && !d_.tensor(t).constant;
    }
  }

  /// Marks segments whose layer input needs a gradient because an output of their round needs it. All layers of a
  /// segment share one graph, so even the first layer computes the gradient. Returns whether a segment changed.
  bool propagate_around_rounds() {
    bool changed = false;
    for (const SegmentId s : d_.graph.segments.ids()) {
      const bool reached = needed_around_[s] == 0 && d_.graph.segments[s].repeat && any_in_round(s);
      if (reached) needed_around_[s] = 1;
      changed |= reached;
    }
    return changed;
  }

  bool any_in_round(SegmentId id) const {
    for (const SegmentId s : d_.graph.segments.ids()) {
      const TensorId output = d_.graph.segments[s].output;
      if (output && needs_[output] != 0 && (s == id || take_turns(s, id))) return true;
    }
    return false;
  }

  /// Returns whether layers of two segments alternate: segments of a group, or parts that lie evenly among each other.
  bool take_turns(SegmentId a, SegmentId b) const {
    const Segment &one = d_.graph.segments[a], &other = d_.graph.segments[b];
    return (one.group >= 0 && one.group == other.group) || (one.whole == other.whole && (one.even || other.even));
  }

  Derivation& d_;
  IdVector<TensorId, std::uint8_t>& needs_;
  IdVector<SegmentId, std::uint8_t> needed_around_;  ///< Segments whose input has a gradient because of other layers of their round.
};

}  // namespace

void find_gradients(Derivation& d) { GradientFinder(d).find(); }

void derive_backward(Derivation& d, const Segment& segment) { Backward(d, segment).run(); }

bool derive_backward(Derivation& d, const Segment& segment, TensorId t, const std::vector<NodeId>& readers) { return Backward(d, segment).run(t, readers); }

}  // namespace opledger
