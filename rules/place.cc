#include "rules/place.h"

#include <fmt/format.h>

#include <algorithm>

#include "graph/signature.h"
#include "rules/fitting.h"

namespace opledger {

namespace {

/// Places one node or boundary tensor. Node rules are applied before rules of `shard`, each in the order of the
/// document, and each axis is used at most once. Coarse units, margins and moved entries follow other dimensions. They
/// are placed last and copy axes.
class Placer {
 public:
  Placer(Derivation& d, Endpoint endpoint)
      : d_(d),
        endpoint_(endpoint),
        node_(endpoint.node ? &d.graph.nodes[endpoint.node] : nullptr),
        dims_(node_ ? node_->dims : d.tensor(endpoint.boundary).dims) {
    for (DimId dimension : dims_) placement_.axes.emplace_back(dimension, AxisList{});
  }

  NodePlacement run() {
    find_followers();
    freeze();
    apply_rules();
    for (const auto& [rule, by] : own_) apply_line(*rule, by);
    for (const ShardRule& rule : d_.rules.shard) apply_line(rule, nullptr);
    align();
    return std::move(placement_);
  }

 private:
  void find_followers() {
    for (const auto& [fine, coarse] : d_.graph.grouped) {
      if (contains(dims_, fine) && contains(dims_, coarse) && !in_one_tensor(fine, coarse)) grouped_.emplace_back(coarse, fine);
    }
    if (!node_) return;
    for (const Operator::Halo& halo : node_->op->halo) halo_.push_back(d_.graph.dimension(halo.dimension));
    for (const auto& entry : node_->op->moved) moved_.push_back(d_.graph.dimension(entry.first));
  }

  /// Returns whether one tensor has both dimensions. Every pair of their entries then exists, so they are independent.
  bool in_one_tensor(DimId fine, DimId coarse) const {
    const auto both = [&](const DimList& dims) { return contains(dims, fine) && contains(dims, coarse); };
    if (!node_) return both(dims_);
    return std::any_of(node_->inputs.begin(), node_->inputs.end(), [&](const Operand& input) { return both(input.dims); }) ||
           std::any_of(node_->outputs.begin(), node_->outputs.end(), [&](TensorId t) { return both(d_.tensor(t).dims); }) ||
           std::any_of(node_->weights.begin(), node_->weights.end(), [&](const auto& weight) { return both(weight.dims); });
  }

  void freeze() {
    if (!node_) return;
    for (const std::string& name : node_->op->frozen) frozen_ = join(frozen_, named_dims(d_.graph, endpoint_.node, name));
  }

  void apply_rules() {
    if (node_) {
      for (const NodeRule* rule : d_.node_rules[endpoint_.node]) apply(*rule);
      return;
    }
    for (const NodeRule& rule : d_.rules.nodes) {
      if (matches(rule.match, d_.graph, dims_)) apply(rule);
    }
  }

  void apply(const NodeRule& rule) {
    for (const std::string& name : rule.freeze) frozen_ = join(frozen_, {d_.graph.dimension(name)});
    for (const std::string& name : rule.thaw) frozen_ = without(frozen_, {d_.graph.dimension(name)});
    for (const ShardRule& shard : rule.shard) own_.emplace_back(&shard, &rule);
    avoided_.emplace_back(&rule, d_.axes(rule.avoid));
    if (node_) pass(rule);
  }

  void pass(const NodeRule& rule) {
    for (const std::string& name : rule.pass) {
      const std::vector<std::string>& linear = node_->op->linear;
      int port = input_port(*node_, name);
      if (port >= 0 && contains(linear, name)) {
        placement_.linear_inputs.push_back(port);
      } else {
        d_.diagnostics.error(rule.ref.span, fmt::format("{} passes partial sums of `{}` through `{}`, but `{}` doesn't say that it is `linear` in that",
                                                        rule.ref.text, name, node_->name, node_->op->name));
      }
    }
  }

  bool follows(DimId dimension) const {
    bool coarse = std::any_of(grouped_.begin(), grouped_.end(), [dimension](const auto& pair) { return pair.first == dimension; });
    return coarse || contains(halo_, dimension) || contains(moved_, dimension);
  }

  bool placeable(DimId dimension) const { return contains(dims_, dimension) && !contains(frozen_, dimension) && !follows(dimension); }

  /// Returns whether a node rule other than `by` avoids the axis. `by` is the rule of the current line; null for a line
  /// of `shard`.
  bool avoided(AxisId a, const NodeRule* by) const {
    return std::any_of(avoided_.begin(), avoided_.end(), [&](const auto& entry) { return entry.first != by && contains(entry.second, a); });
  }

  /// Applies one line of the node rule `by`, or of `shard` if `by` is null. At most one dimension of the line may be
  /// splittable here.
  void apply_line(const ShardRule& rule, const NodeRule* by) {
    DimList own;
    for (const std::string& name : rule.dimensions) {
      DimId dimension = d_.graph.dimension(name);
      if (dimension && placeable(dimension)) own.push_back(dimension);
    }
    if (own.size() > 1) clash(rule, own[0], own[1]);
    for (DimId dimension : own) split(dimension, rule, by);
  }

  void clash(const ShardRule& rule, DimId a, DimId b) {
    if (!d_.clashes.insert(&rule).second) return;
    std::string name = node_ ? node_->name : d_.tensor(endpoint_.boundary).name;
    Diagnostic& error =
        d_.diagnostics.error(rule.ref.span, fmt::format("`{}` has both `{}` and `{}`, which {} would split over the same axes: give them rules of their own",
                                                        name, d_.graph.name(a), d_.graph.name(b), rule.ref.text));
    if (node_) error.note(node_->span, fmt::format("`{}` is here", name));
  }

  /// Gives the axes of a rule to a dimension, except axes that the node uses already (`used_`) or that another rule
  /// avoids here. The rule's mode `uneven` decides about each axis that may not divide the dimension. `error` records
  /// a division that every run checks. `pad` records that the size is rounded up. `skip` queries the sizes.
  /// `replicate` and `part` take only fitting parts; `replicate` consumes the rest, so that no other dimension gets
  /// it. Unordered dimensions are padded instead of checked, and means need neither. `by`: the node rule of this line;
  /// null for a rule of all nodes.
  void split(DimId dimension, const ShardRule& rule, const NodeRule* by) {
    AxisList& axes = axes_of(dimension);
    const bool ragged = d_.graph.dimensions[dimension].unordered;  // Ranks may hold different numbers of entries.
    const bool mean = d_.graph.dimensions[dimension].mean;         // Any fraction of a mean is a valid size.
    const Uneven uneven = d_.rules.uneven_of(rule, d_.graph.name(dimension));
    bool padded = false, checked = false;
    for (AxisId a : d_.axes(rule.axes)) {
      if (contains(used_, a) || avoided(a, by)) continue;
      if (uneven == Uneven::skip && !divides(dimension, axes, free_parts(rule, a, by))) continue;
      bool partly = uneven == Uneven::replicate || uneven == Uneven::part;
      if (partly && !fits(d_.out.mesh, dimension, axes, a)) {
        if (fits(d_.out.mesh, dimension, {}, a)) query(not_fitting(d_.out.mesh, dimension, axes, a));
        if (uneven == Uneven::replicate) consume(a, rule);
        continue;
      }
      axes.push_back(a);
      use(a, rule);
      padded |= !mean && (uneven == Uneven::pad || (ragged && uneven == Uneven::error));
      checked |= !mean && uneven == Uneven::error && !ragged;
    }
    if (checked) divide(dimension, axes, rule);
    if (padded) pad(dimension, axes);
  }

  /// Queries axes after which no further axis fits, unless they have a single rank.
  void query(const AxisList& axes) { d_.ones.query_until_several(d_.out.mesh, axes); }

  bool divides(DimId dimension, const AxisList& axes, const AxisList& more) const {
    AxisList all = axes;
    all.insert(all.end(), more.begin(), more.end());
    return d_.sizes.divides(dimension, d_.out.mesh, all);
  }

  /// Returns the free parts of an axis. The axis was cut for another dimension, so a rule with `skip` takes every part
  /// or no part.
  AxisList free_parts(const ShardRule& rule, AxisId part, const NodeRule* by) const {
    AxisList out;
    for (const AxisId a : d_.axes(rule.axes)) {
      if (d_.out.mesh.whole(a) == d_.out.mesh.whole(part) && !contains(used_, a) && !avoided(a, by)) out.push_back(a);
    }
    return out;
  }

  void use(AxisId a, const ShardRule& rule) {
    used_.push_back(a);
    placement_.why.emplace_back(a, rule.id);
  }

  void consume(AxisId a, const ShardRule& rule) {
    placement_.consumed.push_back(a);
    use(a, rule);
  }

  /// Records a division once, at the first node.
  void divide(DimId dimension, const AxisList& axes, const ShardRule& rule) {
    auto same = [&](const Divisibility& other) { return other.dimension == dimension && other.axes == axes; };
    if (std::any_of(d_.out.divisions.begin(), d_.out.divisions.end(), same)) return;
    std::string name = node_ ? node_->name : d_.tensor(endpoint_.boundary).name;
    d_.out.divisions.push_back({endpoint_.node, std::move(name), dimension, axes, rule.id});
  }

  void pad(DimId dimension, const AxisList& axes) {
    std::pair<DimId, AxisList> entry{dimension, axes};
    if (!contains(d_.out.padded, entry)) d_.out.padded.push_back(std::move(entry));
  }

  /// Places the dimensions that follow other dimensions of the node; rules cannot place them.
  void align() {
    for (const auto& [coarse, fine] : grouped_) {
      Followed followed = follow(d_.out.mesh, coarse, axes_of(fine));
      axes_of(coarse) = std::move(followed.taken);
      query(followed.blocking);
    }
    if (!node_) return;
    for (const Operator::Halo& halo : node_->op->halo) {
      if (!contains(frozen_, d_.graph.dimension(halo.dimension))) copy(halo.dimension, {halo.of});
    }
    if (!node_->op->like.empty()) copy_operand();
    for (const auto& [dimension, sources] : node_->op->moved) copy(dimension, sources);
    for (const auto& entry : node_->op->moved) round_up(entry.first);
  }

  /// Moved entries need not divide evenly, so the dimension is padded.
  void round_up(const std::string& name) {
    DimId dimension = d_.graph.dimension(name);
    if (contains(dims_, dimension) && !axes_of(dimension).empty()) pad(dimension, axes_of(dimension));
  }

  void copy(const std::string& to, const std::vector<std::string>& sources) {
    DimId target = d_.graph.dimension(to);
    if (!contains(dims_, target)) return;
    AxisList axes;
    for (const std::string& source : sources) {
      DimId from = d_.graph.dimension(source);
      if (!contains(dims_, from)) continue;
      const AxisList& more = axes_of(from);
      axes.insert(axes.end(), more.begin(), more.end());
    }
    axes_of(target) = std::move(axes);
  }

  /// Copies the placement of the operand `like` if a node produces it; rules about the node's dimensions then do not
  /// apply.
  void copy_operand() {
    int port = input_port(*node_, node_->op->like);
    if (port < 0) return;
    const Operand& input = node_->inputs[port];
    const Tensor& tensor = d_.tensor(input.tensor);
    if (!tensor.producer) return;
    Placement left = output_placement(d_, tensor.producer, tensor.dims).renamed(input.renames);
    placement_.why = d_.of(tensor.producer).why;
    placement_.consumed.clear();
    for (auto& [dimension, axes] : placement_.axes) {
      const AxisList* left_axes = left.axes(dimension);
      axes = left_axes ? *left_axes : AxisList{};
    }
  }

  AxisList& axes_of(DimId dimension) {
    auto entry = std::find_if(placement_.axes.begin(), placement_.axes.end(), [dimension](const auto& pair) { return pair.first == dimension; });
    return entry->second;
  }

  Derivation& d_;
  Endpoint endpoint_;
  const Node* node_;
  const DimList& dims_;
  NodePlacement placement_;
  DimList frozen_, halo_, moved_;
  std::vector<std::pair<DimId, DimId>> grouped_;                   ///< Pairs of coarse and fine dimension.
  std::vector<std::pair<const ShardRule*, const NodeRule*>> own_;  ///< Lines for this node, with their rules.
  std::vector<std::pair<const NodeRule*, AxisList>> avoided_;
  AxisList used_;
};

/// Places tensors between segments, by their dimensions and the rules; data is left out.
void place_boundaries(Derivation& d) {
  d.boundaries.resize(d.graph.tensors.size());
  d.out.inputs.resize(d.graph.tensors.size());
  for (const Segment& segment : d.graph.segments) {
    std::vector<TensorId> boundary = segment.inputs;
    if (segment.output) boundary.push_back(segment.output);
    for (TensorId t : boundary) {
      if (d.tensor(t).data) continue;
      d.boundaries[t] = Placer(d, {{}, t}).run();
      d.out.inputs[t] = operand(d.boundaries[t], d.tensor(t).dims);
    }
  }
}

void place_layers(Derivation& d) {
  for (const ShardRule& rule : d.rules.shard) {
    if (!contains(rule.dimensions, kLayerDimension)) continue;
    for (AxisId a : d.axes(rule.axes)) {
      if (!contains(d.out.layers, a)) d.out.layers.push_back(a);
    }
    if (!d.out.layer_rule && !d.out.layers.empty()) d.out.layer_rule = rule.id;
  }
}

}  // namespace

NodePlacement place(Derivation& d, Endpoint endpoint) { return Placer(d, endpoint).run(); }

void place(Derivation& d) {
  place_layers(d);
  for (const NodeId id : d.graph.nodes.ids()) d.out.nodes.push_back(Placer(d, {id, {}}).run());
  place_boundaries(d);
}

}  // namespace opledger
