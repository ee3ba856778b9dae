#include "rules/missing_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "rules/place.h"

namespace opledger {

namespace {

using Words = std::vector<std::string>;

constexpr const char* kGathered = "gathered";

bool holds(const Words& words, const std::string& word) { return contains(words, word); }

/// Returns whether a name may be a misspelling of the other. `ssm_heads` is no `key_heads`, though they share most
/// letters: the words between underscores are compared one by one.
bool may_be(const std::string& name, const std::string& known) {
  const Words a = split(name, '_'), b = split(known, '_');
  if (a.size() != b.size()) return true;
  return std::equal(a.begin(), a.end(), b.begin(),
                    [](const std::string& x, const std::string& y) { return x == y || is_typo(x, y) || !nearest(x, {y}).empty(); });
}

class NameChecker {
 public:
  NameChecker(Derivation& d, const RuleSet& all) : d_(d) {
    for (const DimensionInfo& info : d.graph.dimensions) {
      dimensions_.push_back(info.name);
      if (!info.variant_of.empty()) dimensions_.push_back(info.variant_of);
    }
    dimensions_.emplace_back(kLayerDimension);
    for (const Axis& axis : d.out.mesh.axes) axes_.push_back(axis.name);
    for (const auto& group : d.out.mesh.groups) axes_.push_back(group.first);
    splitting_ = axes_;
    unnamed_ = dimensions_;
    for (const ShardRule& rule : all.shard) record(rule);
    for (const NodeRule& node : all.nodes) {
      for (const ShardRule& rule : node.shard) record(rule);
    }
  }

  void run() {
    for (const ShardRule& rule : d_.rules.shard) shard(rule);
    for (const NodeRule& node : d_.rules.nodes) {
      for (const ShardRule& rule : node.shard) shard(rule);
      dimensions(node.freeze, node.ref);
      dimensions(node.thaw, node.ref);
      axes(node.avoid, node.ref, 1);
    }
    for (const WeightRule& rule : d_.rules.weights) weights(rule);
    for (const MarkRule& rule : d_.rules.mark) axes(rule.axes, rule.ref, 1);
    for (const MergeRule& rule : d_.rules.merge) axes(rule.axes, rule.ref, 2);
  }

 private:
  void record(const ShardRule& rule) {
    splitting_.insert(splitting_.end(), rule.axes.begin(), rule.axes.end());
    auto named = [&](const std::string& name) { return holds(rule.dimensions, name); };
    unnamed_.erase(std::remove_if(unnamed_.begin(), unnamed_.end(), named), unnamed_.end());
  }

  void shard(const ShardRule& rule) {
    dimensions(rule.dimensions, rule.ref);
    bool known = std::any_of(rule.dimensions.begin(), rule.dimensions.end(), [&](const std::string& name) { return holds(dimensions_, name); });
    if (known) axes(rule.axes, rule.ref, 0);
  }

  /// Warns of missing names that are a slip of a dimension's name, or resemble a dimension that no rule of `shard`
  /// names.
  void dimensions(const Words& names, const RuleRef& ref) {
    for (const std::string& name : names) {
      if (holds(dimensions_, name)) continue;
      std::string suggested = slip(name, dimensions_);
      if (suggested.empty()) suggested = nearest(name, unnamed_);
      if (!suggested.empty() && !may_be(name, suggested)) suggested.clear();
      if (!suggested.empty()) warn(ref, "dimension", name, "this model", suggested);
    }
  }

  /// Warns of missing axes. A rule with fewer than `least` axes has no effect.
  void axes(const Words& names, const RuleRef& ref, std::ptrdiff_t least) {
    bool no_effect = splitting(names) < least;
    for (const std::string& name : names) {
      std::string suggested = holds(axes_, name) ? "" : slip(name, axes_);
      if (!suggested.empty() || (no_effect && !holds(splitting_, name))) warn(ref, "axis", name, "the mesh", suggested);
    }
  }

  void weights(const WeightRule& rule) {
    for (const auto* list : {&rule.stored, &rule.optimizer, &rule.gradient, &rule.reduced}) {
      if (*list) axes(**list, rule.ref, 1);
    }
    if (!rule.keep) return;
    for (const std::string& name : *rule.keep) {
      if (!holds(axes_, name) && !nearest(name, {kGathered}).empty()) return not_gathered(rule, name);
    }
    axes(*rule.keep, rule.ref, 1);
  }

  /// Reports a misspelled `gathered`, such as `gatherd`: as a single-rank axis it would have the weight gathered
  /// again.
  void not_gathered(const WeightRule& rule, const std::string& name) {
    d_.diagnostics.error(rule.ref.span, fmt::format("{}: `keep` is `{}` or axes, and the mesh has no axis `{}`{}", rule.ref.text, kGathered, name,
                                                    suggestion(name, {kGathered})));
  }

  std::ptrdiff_t splitting(const Words& names) const {
    return std::count_if(names.begin(), names.end(), [&](const std::string& name) { return holds(splitting_, name); });
  }

  static std::string slip(const std::string& name, const Words& known) {
    auto suggested = std::find_if(known.begin(), known.end(), [&](const std::string& word) { return is_typo(name, word); });
    return suggested == known.end() ? std::string() : *suggested;
  }

  void warn(const RuleRef& ref, const char* kind, const std::string& name, const char* owner, const std::string& suggested) {
    std::string hint = suggested.empty() ? "" : fmt::format(" (did you mean `{}`?)", suggested);
    d_.diagnostics.warning(ref.span, fmt::format("{} names {} `{}`, which {} lacks{}", ref.text, kind, name, owner, hint));
  }

  Derivation& d_;
  Words dimensions_, axes_;  ///< Names of the run.
  Words unnamed_;            ///< Dimensions that no rule splits.
  Words splitting_;          ///< Axes of the mesh, and axes over which rules split on other meshes.
};

}  // namespace

void check_missing_names(Derivation& d, const RuleSet& all) { NameChecker(d, all).run(); }

}  // namespace opledger
