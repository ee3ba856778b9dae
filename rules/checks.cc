#include "rules/checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "rules/place.h"
#include "rules/weights.h"

namespace opledger {

namespace {

using Words = std::vector<std::string>;

void check_list(Derivation& d, const Words& names, const RuleRef& ref) {
  AxisList seen;
  for (const std::string& name : names) {
    for (AxisId a : d.out.mesh.expand(name)) {
      if (contains(seen, a)) {
        d.diagnostics.error(ref.span, fmt::format("{} names axis `{}` twice", ref.text, d.out.mesh.axes[a].name));
        return;
      }
      seen.push_back(a);
    }
  }
}

/// Returns the rule that gives an axis to the layers; null without such a rule.
const ShardRule* layer_rule(const Derivation& d, AxisId axis) {
  auto found = std::find_if(d.rules.shard.begin(), d.rules.shard.end(),
                            [&](const ShardRule& rule) { return contains(rule.dimensions, kLayerDimension) && contains(d.out.mesh.expand(rule.axes), axis); });
  return found == d.rules.shard.end() ? nullptr : &*found;
}

/// Reports the first axis of the layers that a rule uses for anything else. The ranks along it work on different layers
/// and cannot split work within a layer.
void check_stages(Derivation& d, const Words& axes, const std::string& use, const RuleRef& ref) {
  for (AxisId a : d.out.mesh.expand(axes)) {
    const ShardRule* layers = layer_rule(d, a);
    if (!layers) continue;
    const std::string& axis = d.out.mesh.axes[a].name;
    d.diagnostics
        .error(ref.span, fmt::format("{} gives axis `{}` to {}, but its ranks hold different layers: {} gives it to `{}`", ref.text, axis, use,
                                     layers->ref.text, kLayerDimension))
        .note(layers->ref.span, "the axis is given to the layers here");
    return;
  }
}

void check_stages(Derivation& d, const ShardRule& rule) {
  for (const std::string& name : rule.dimensions) {
    if (d.graph.dimension(name)) check_stages(d, rule.axes, "`" + name + "`", rule.ref);
  }
}

void check_weight_lists(Derivation& d, const WeightRule& rule) {
  for (const std::optional<Words>* list : {&rule.stored, &rule.keep, &rule.optimizer}) {
    if (!*list) continue;
    check_list(d, **list, rule.ref);
    check_stages(d, **list, "weights", rule.ref);
  }
  Words gradient = rule.gradient.value_or(Words{});
  Words reduced = rule.reduced.value_or(Words{});
  gradient.insert(gradient.end(), reduced.begin(), reduced.end());
  check_list(d, gradient, rule.ref);
  check_stages(d, gradient, "gradients", rule.ref);
}

void check_hit(Derivation& d, const RuleRef& ref, bool hit) {
  if (!hit && !ref.quiet) d.diagnostics.warning(ref.span, fmt::format("{} matches nothing in this model", ref.text));
}

template <class Rule>
void check_matches(Derivation& d, const std::vector<Rule>& rules) {
  for (const Rule& rule : rules) check_hit(d, rule.ref, !d.index.nodes(rule.match).empty());
}

void check_weight_matches(Derivation& d) {
  const auto& weights = d.graph.weights;
  for (const WeightRule& rule : d.rules.weights) {
    check_hit(d, rule.ref, bool(weights.find([&](const Weight& w) { return applies_to(rule, d.graph, weights.id_of(w)); })));
  }
}

/// Records the axes that shard a placement as used.
void mark(IdVector<AxisId, bool>& used, const Placement& placement) {
  for (const auto& entry : placement.shard) {
    for (AxisId a : entry.second) used[a] = true;
  }
}

void mark(IdVector<AxisId, bool>& used, const AxisList& axes) {
  for (AxisId a : axes) used[a] = true;
}

/// Returns which axes shard something: layers, a dimension of a node, or a state of a weight. Axes that a rule
/// reserves at a node count too. An axis is used if one of its parts is. Parts have higher numbers than their axis, so
/// one loop from the last axis down passes the use on through cuts of cuts.
IdVector<AxisId, bool> used_axes(const Derivation& d) {
  IdVector<AxisId, bool> used(d.out.mesh.axes.size(), false);
  mark(used, d.out.layers);
  for (const NodePlacement& node : d.out.nodes) {
    for (const auto& entry : node.axes) mark(used, entry.second);
    mark(used, node.consumed);
  }
  for (const WeightPlacement& weight : d.out.weights) {
    for (const Placement* p : {&weight.compute, &weight.stored, &weight.kept, &weight.gradient, &weight.optimizer}) mark(used, *p);
    for (const Placement& p : weight.uses) mark(used, p);
  }
  for (AxisId a = used.next(); a-- > AxisId(0);) {
    if (d.ones.left_out(a)) used[a] = true;  // A placement contained the axis before its removal.
    AxisId whole = d.out.mesh.axes[a].of;
    if (used[a] && whole) used[whole] = true;
  }
  return used;
}

void check_axes(Derivation& d) {
  IdVector<AxisId, bool> used = used_axes(d);
  for (const AxisId a : used.ids()) {
    const Axis& axis = d.out.mesh.axes[a];
    if (used[a] || axis.of) continue;
    d.diagnostics.warning(axis.span, fmt::format("axis `{}` shards nothing: no rule gives it to a dimension of this model", axis.name));
  }
}

}  // namespace

void check_lists(Derivation& d) {
  auto check = [&](const ShardRule& rule) {
    check_list(d, rule.axes, rule.ref);
    check_stages(d, rule);
  };
  for (const ShardRule& rule : d.rules.shard) check(rule);
  for (const NodeRule& node : d.rules.nodes) {
    for (const ShardRule& rule : node.shard) check(rule);
  }
  for (const WeightRule& rule : d.rules.weights) check_weight_lists(d, rule);
  for (const MergeRule& rule : d.rules.merge) check_list(d, rule.axes, rule.ref);
}

void check_use(Derivation& d) {
  check_matches(d, d.rules.nodes);
  check_weight_matches(d);
  check_matches(d, d.rules.activations);
  check_matches(d, d.rules.recompute);
  check_matches(d, d.rules.fuse);
  check_axes(d);
}

}  // namespace opledger
