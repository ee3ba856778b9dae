#include "rules/select.h"

#include <algorithm>

namespace opledger {

namespace {

class Selector {
 public:
  Selector(const Condition& holds, Annotations& annotations) : holds_(holds), annotations_(annotations) {}

  template <class Rule>
  std::vector<Rule> operator()(const std::vector<Rule>& rules) {
    std::vector<Rule> selected;
    for (const Rule& rule : rules) {
      if (!applies(rule.when)) continue;
      selected.push_back(rule);
      selected.back().id = number(rule.ref);
      nested(selected.back());
    }
    return selected;
  }

 private:
  bool applies(const ExprPtr& when) const { return !when || holds_(when).value_or(false); }

  /// Entries of one list item share a reference and a number.
  RuleId number(const RuleRef& ref) {
    if (annotations_.rules.empty() || annotations_.rules.back().text != ref.text) return annotations_.rules.add(ref);
    return annotations_.rules.id_of(annotations_.rules.back());
  }

  void nested(NodeRule& rule) { rule.shard = (*this)(rule.shard); }
  template <class Rule>
  void nested(Rule&) {}

  const Condition& holds_;
  Annotations& annotations_;
};

}  // namespace

RuleSet select(const RuleSet& rules, const Condition& holds, Annotations& annotations) {
  // The selector copies the rules of one section whose conditions hold, and numbers them across sections. Cuts into
  // parts have no effect on a finished graph and are left out.
  Selector selector(holds, annotations);
  RuleSet selected;
  selected.for_many = rules.for_many;
  selected.uneven = selector(rules.uneven);
  selected.shard = selector(rules.shard);
  selected.nodes = selector(rules.nodes);
  selected.weights = selector(rules.weights);
  selected.activations = selector(rules.activations);
  selected.recompute = selector(rules.recompute);
  selected.fuse = selector(rules.fuse);
  selected.mark = selector(rules.mark);
  selected.merge = selector(rules.merge);
  return selected;
}

void add_variants(RuleSet& rules, const Graph& graph) {
  std::vector<const DimensionInfo*> variants;
  for (const DimensionInfo& dimension : graph.dimensions) {
    if (!dimension.variant_of.empty()) variants.push_back(&dimension);
  }
  if (variants.empty()) return;
  const auto extend = [&](std::vector<std::string>& names) {
    for (const DimensionInfo* variant : variants) {
      if (std::find(names.begin(), names.end(), variant->variant_of) != names.end()) names.push_back(variant->name);
    }
  };
  const auto extend_match = [&](Match& match) {
    extend(match.with);
    extend(match.without);
    for (auto& [_, dimensions] : match.attribute) extend(dimensions);
  };
  for (ShardRule& rule : rules.shard) extend(rule.dimensions);
  for (UnevenRule& rule : rules.uneven) extend(rule.dimensions);
  for (NodeRule& rule : rules.nodes) {
    for (ShardRule& shard : rule.shard) extend(shard.dimensions);
    extend(rule.freeze);
    extend(rule.thaw);
  }
  const auto extend_matches = [&](auto& list) {
    for (auto& rule : list) extend_match(rule.match);
  };
  extend_matches(rules.nodes);
  extend_matches(rules.weights);
  extend_matches(rules.activations);
  extend_matches(rules.recompute);
  extend_matches(rules.fuse);
  extend_matches(rules.mark);
}

}  // namespace opledger
