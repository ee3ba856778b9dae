#include "rules/weights.h"

#include <fmt/format.h>

#include <algorithm>

#include "rules/emit.h"
#include "rules/reshard.h"

namespace opledger {

namespace {

using Words = std::vector<std::string>;

/// The settings of one weight; later rules override earlier ones, key by key.
struct Choice {
  std::optional<Words> stored, keep, optimizer;
  Words gradient, reduced;
  bool keep_gathered = false;
  std::vector<RuleId> rules;
  RuleId placing;  ///< The last rule that places a state of the weight.
};

struct WeightUse {
  NodeId node;
  std::size_t port = 0;
};

/// Derives the placements and collectives of one weight. Each segment gathers the weight for its uses and reduces its
/// gradients; placements are shared by all segments. The optimizer step runs once, at the first use.
class WeightDerivation {
 public:
  WeightDerivation(Derivation& d, WeightId id) : d_(d), id_(id), weight_(d.graph.weights[id]) {
    for (const auto& [node, port] : weight_.uses) uses_.push_back({node, port});
  }

  WeightPlacement run() {
    choose();
    place();
    const bool trained = d_.out.trained[id_] != 0;
    for (const std::vector<WeightUse>& uses : by_segment()) {
      gather(uses, Phase::forward, out_.stored);
      gather(uses, Phase::agrad, out_.kept);
      if (trained) reduce(uses);
    }
    query_mergeable(d_, reductions_);
    if (trained) update();
    return std::move(out_);
  }

 private:
  /// Adds the collectives at the end of a step.
  void update() {
    move(Phase::optimizer, Cadence::step, out_.gradient, out_.optimizer, uses_.front(), true);
    between_stages();
    move(Phase::optimizer, Cadence::step, out_.optimizer, out_.stored, uses_.front(), false);
  }

  /// Collects the settings of the weight from all rules that apply to it (`choice_`), in order: a later rule overrides
  /// an earlier one in the keys that it has. `keep` and `keep: gathered` are one key, and the two lists of axes for
  /// gradients are another.
  void choose() {
    for (const WeightRule& rule : d_.rules.weights) {
      if (!applies_to(rule, d_.graph, id_)) continue;
      choice_.rules.push_back(rule.id);
      if (rule.places()) choice_.placing = rule.id;
      if (rule.stored) choice_.stored = rule.stored;
      if (rule.optimizer) choice_.optimizer = rule.optimizer;
      if (rule.keep) choice_.keep = rule.keep;
      if (rule.keep || rule.keep_gathered) choice_.keep_gathered = rule.keep_gathered;
      if (!rule.gradient && !rule.reduced) continue;
      choice_.gradient = rule.gradient.value_or(Words{});
      choice_.reduced = rule.reduced.value_or(Words{});
    }
    out_.rules = choice_.rules;
  }

  /// Returns the placement in which a node computes, in the weight's own dimensions.
  Placement compute(const WeightUse& use) const { return operand(d_.of(use.node), dims(use)).renamed(renames(use)); }
  Placement produced(const WeightUse& use) const {
    const std::string& port = d_.graph.nodes[use.node].op->weights[use.port].name;
    return output_placement(d_, use.node, dims(use), passed_to(d_, use.node, port)).renamed(renames(use));
  }
  const DimList& dims(const WeightUse& use) const { return d_.graph.nodes[use.node].weights[use.port].dims; }

  /// Returns the renames of a tied weight, whose uses may name dimensions differently; the order of dimensions is
  /// equal.
  std::vector<std::pair<DimId, DimId>> renames(const WeightUse& use) const {
    std::vector<std::pair<DimId, DimId>> pairs;
    const DimList& own = dims(use);
    if (same_set(own, weight_.dims)) return pairs;
    for (std::size_t i = 0; i < own.size() && i < weight_.dims.size(); ++i) pairs.emplace_back(own[i], weight_.dims[i]);
    return pairs;
  }

  /// Returns the compute placement, spread over further axes that computation does not use.
  Placement spread(const Words& names) const {
    Placement placement = out_.compute;
    AxisList axes;
    for (AxisId a : d_.axes(names)) {
      if (!out_.compute.mentions(a)) axes.push_back(a);
    }
    placement.set(kElements, axes);
    return placement;
  }

  /// Finds the placement in which each use computes. The weight is stored for the first use; a use with another
  /// placement receives a copy. Single-rank axes make no difference.
  void place_uses() {
    out_.compute = compute(uses_.front());
    std::vector<Placement> all;
    for (const WeightUse& use : uses_) {
      all.push_back(compute(use));
      d_.ones.query_until_several(d_.out.mesh, differing(out_.compute, all.back()));
    }
    if (std::any_of(all.begin(), all.end(), [&](const Placement& p) { return p != out_.compute; })) out_.uses = std::move(all);
  }

  /// Fills the placements of the weight's states. Each state begins with the compute placement and is spread over the
  /// axes of the rules. Without a rule for `keep`, the weight is between forward and backward as it is stored. Each
  /// use produces a gradient that is partial over some axes. Axes that rules reduce over, or that shard the gradient,
  /// are reduced for each microbatch. Over the others the gradient stays partial, and accumulates until the end of the
  /// step.
  void place() {
    place_uses();
    out_.stored = spread(choice_.stored.value_or(Words{}));
    out_.kept = choice_.keep_gathered ? out_.compute : choice_.keep ? spread(*choice_.keep) : out_.stored;
    out_.optimizer = out_.gradient = out_.compute;  // Unused for a weight that is not trained.
    if (d_.out.trained[id_] == 0) return;
    out_.optimizer = spread(choice_.optimizer.value_or(Words{}));
    out_.gradient = spread(choice_.gradient);
    AxisList reduced = d_.axes(choice_.reduced);
    for (const WeightUse& use : uses_) {
      for (AxisId a : produced(use).partial) {
        bool is_reduced = contains(reduced, a) || out_.gradient.mentions(a);
        if (!is_reduced) out_.gradient.partial.push_back(a);
      }
    }
    std::sort(out_.gradient.partial.begin(), out_.gradient.partial.end());
  }

  std::vector<std::vector<WeightUse>> by_segment() const {
    std::vector<std::vector<WeightUse>> groups;
    for (const WeightUse& use : uses_) {
      SegmentId segment = d_.graph.nodes[use.node].segment;
      auto same = [&](const std::vector<WeightUse>& group) { return d_.graph.nodes[group.front().node].segment == segment; };
      auto found = std::find_if(groups.begin(), groups.end(), same);
      if (found == groups.end()) found = groups.insert(groups.end(), std::vector<WeightUse>{});
      found->push_back(use);
    }
    return groups;
  }

  /// Returns whether a gradient reads the weight.
  bool read_backward(const WeightUse& use) const {
    const Node& node = d_.graph.nodes[use.node];
    const std::string& name = node.op->weights[use.port].name;
    return std::any_of(node.op->gradients.begin(), node.op->gradients.end(), [&](const auto& entry) {
      if (!contains(entry.second, name)) return false;
      return d_.needs_gradient(node, entry.first);
    });
  }

  /// Adds the gathers of one pass over a segment: the weight is brought from the placement `source` into the placement
  /// in which each use computes. Backward gathers only for uses that run again or whose gradients read the weight.
  /// Equal uses share a gather, and a gather for recomputation serves input gradients too. `have` are the placements
  /// available so far.
  void gather(const std::vector<WeightUse>& uses, Phase phase, const Placement& source) {
    std::vector<Placement> have = {source};
    std::vector<PlacementChange> changes;
    for (const WeightUse& use : uses) {
      bool again = d_.recomputed(use.node);
      if (phase == Phase::agrad && !again && !read_backward(use)) continue;
      Placement need = compute(use);
      if (contains(have, need)) continue;
      move(phase == Phase::agrad && again ? Phase::recompute : phase, Cadence::microbatch, source, need, use, false);
      changes.push_back({source, need});
      have.push_back(std::move(need));
    }
    query_mergeable(d_, changes);
  }

  /// Adds the reductions of gradients over the uses in one segment. Uses that produce the gradient in equal placements
  /// are added first and share a message. A target is partial only over axes over which the produced gradient is
  /// partial too.
  void reduce(const std::vector<WeightUse>& uses) {
    std::vector<Placement> done;
    for (const WeightUse& use : uses) {
      Placement raw = produced(use), target = out_.gradient;
      if (contains(done, raw)) continue;
      auto absent = [&](AxisId a) { return !contains(raw.partial, a); };
      target.partial.erase(std::remove_if(target.partial.begin(), target.partial.end(), absent), target.partial.end());
      auto equal = [&](const WeightUse& other) { return produced(other) == raw; };
      move(Phase::wgrad, Cadence::microbatch, raw, target, use, true, static_cast<std::int32_t>(std::count_if(uses.begin(), uses.end(), equal)));
      reductions_.push_back({raw, target});
      done.push_back(std::move(raw));
    }
  }

  /// Returns the segments whose gradients are added before the message: at the end of a step all segments that use the
  /// weight, else those with the same placement of the gradient.
  std::vector<SegmentId> sharing(const WeightUse& use, Cadence cadence) const {
    const Placement raw = produced(use);
    std::vector<SegmentId> out;
    for (const WeightUse& other : uses_) {
      const SegmentId segment = d_.graph.nodes[other.node].segment;
      if (!contains(out, segment) && (cadence == Cadence::step || produced(other) == raw)) out.push_back(segment);
    }
    std::sort(out.begin(), out.end());
    return out;
  }

  /// Returns a transfer of the weight or its gradient at one use, without collective and axes. Its readers are all
  /// uses in the segment. Gradients and transfers at the end of a step also list the segments that share one message.
  /// The dimensions are the weight's own, and `weight_rule` is the last rule that places a state.
  Transfer begin(Phase phase, Cadence cadence, const WeightUse& use, bool gradient, std::int32_t terms) const {
    Transfer transfer;
    transfer.phase = phase;
    transfer.cadence = cadence;
    transfer.weight = id_;
    transfer.gradient = gradient;
    transfer.terms = terms;
    transfer.reader = use.node;
    transfer.segment = d_.graph.nodes[use.node].segment;
    for (const WeightUse& other : uses_) {
      if (d_.graph.nodes[other.node].segment == transfer.segment) transfer.readers.push_back(other.node);
    }
    if (gradient || cadence == Cadence::step) transfer.sharing = sharing(use, cadence);
    transfer.dims = weight_.dims;
    transfer.weight_rule = choice_.placing;
    name_weight(d_, transfer);
    return transfer;
  }

  void move(Phase phase, Cadence cadence, const Placement& from, const Placement& to, const WeightUse& use, bool gradient, std::int32_t terms = 1) {
    emit(d_, begin(phase, cadence, use, gradient, terms), reshard(d_, from, to), {use.node, {}}, {});
  }

  /// Adds the all-reduce between stages with copies of one weight. Each stage first reduces the gradient over its own
  /// ranks. Ranks send the whole accumulated gradient, even if their optimizer needs a part, as frameworks do
  /// (docs/standard.md).
  void between_stages() {
    if (d_.out.layers.empty() || by_segment().size() < 2) return;
    Transfer transfer = begin(Phase::optimizer, Cadence::step, uses_.front(), true, 1);
    transfer.kind = Collective::all_reduce;
    transfer.axes = d_.out.layers;
    transfer.message = out_.gradient.reduced();
    transfer.rule = d_.out.layer_rule;
    transfer.stages = true;
    d_.out.transfers.push_back(std::move(transfer));
  }

  Derivation& d_;
  WeightId id_;
  const Weight& weight_;
  std::vector<WeightUse> uses_;
  Choice choice_;
  std::vector<PlacementChange> reductions_;  ///< Reductions of the gradients of all uses.
  WeightPlacement out_;
};

}  // namespace

bool applies_to(const WeightRule& rule, const Graph& graph, WeightId weight) {
  const Weight& w = graph.weights[weight];
  return names(rule.tensor, w.name) && std::any_of(w.uses.begin(), w.uses.end(), [&](const auto& use) { return matches(rule.match, graph, use.first); });
}

void find_trained(Derivation& d) {
  d.out.trained.assign(d.graph.weights.size(), 1);
  for (const WeightRule& rule : d.rules.weights) {
    if (!rule.trained) continue;
    for (const WeightId w : d.graph.weights.ids()) {
      if (applies_to(rule, d.graph, w)) d.out.trained[w] = *rule.trained ? 1 : 0;
    }
  }
}

void derive_weights(Derivation& d) {
  for (const WeightId w : d.graph.weights.ids()) {
    d.out.weights.push_back(d.graph.weights[w].uses.empty() ? WeightPlacement() : WeightDerivation(d, w).run());
  }
}

}  // namespace opledger
