#include <algorithm>
#include <string>

#include "rules/place.h"

namespace opledger {

namespace {

/// All the axes that rules give to one dimension, by name, in the order in which they are first named.
struct Wishes {
  DimId dimension;
  std::vector<std::string> axes;
  std::vector<std::string> cut;     ///< Of them, those that it may fill only in part.
  std::vector<std::string> spoilt;  ///< Those that it may not divide by, though they are used as they are.
};

class Collector {
 public:
  Collector(const Graph& graph, const RuleSet& rules) : graph_(graph), rules_(rules) {}

  void add(const ShardRule& rule) {
    for (const std::string& name : rule.dimensions) {
      const DimId dimension = graph_.dimension(name);
      if (!dimension) continue;
      const Uneven uneven = rules_.uneven_of(rule, name);
      const bool partly = uneven == Uneven::replicate || uneven == Uneven::part;
      const DimensionInfo& info = graph_.dimensions[dimension];
      const bool divides = uneven == Uneven::error && !info.unordered && !info.mean;
      wish(dimension, rule.axes, partly ? &Wishes::cut : divides ? nullptr : &Wishes::spoilt);
      for (const auto& [fine, coarse] : graph_.grouped) {
        if (fine == dimension) wish(coarse, rule.axes, &Wishes::cut);
      }
    }
  }

  const std::vector<Wishes>& all() const { return all_; }

 private:
  using Names = std::vector<std::string>;
  static void add(Names& names, const std::string& name) {
    if (!contains(names, name)) names.push_back(name);
  }

  void wish(DimId dimension, const Names& axes, Names Wishes::*kind) {
    auto wishes = std::find_if(all_.begin(), all_.end(), [dimension](const Wishes& other) { return other.dimension == dimension; });
    if (wishes == all_.end()) wishes = all_.insert(all_.end(), {dimension, {}, {}, {}});
    for (const std::string& axis : axes) {
      add(wishes->axes, axis);
      if (kind != nullptr) add((*wishes).*kind, axis);
    }
  }

  const Graph& graph_;
  const RuleSet& rules_;
  std::vector<Wishes> all_;
};

}  // namespace

void cut_axes(Derivation& d) {
  Collector collector(d.graph, d.rules);
  for (const ShardRule& rule : d.rules.shard) collector.add(rule);
  for (const NodeRule& node : d.rules.nodes) {
    for (const ShardRule& rule : node.shard) collector.add(rule);
  }
  // One cut for each dimension: whichever of the parts that fit it a node takes, together they divide it.
  for (const Wishes& wishes : collector.all()) {
    const bool coarse = std::any_of(d.graph.grouped.begin(), d.graph.grouped.end(), [&](const auto& pair) { return pair.second == wishes.dimension; });
    Mesh& mesh = d.out.mesh;
    const AxisList cut = mesh.expand(wishes.cut), spoilt = mesh.expand(wishes.spoilt);
    AxisList list, wholes;
    for (const AxisId a : mesh.expand(wishes.axes)) {
      const bool whole = !contains(cut, a);
      if (whole && (coarse || contains(spoilt, a))) continue;
      list.push_back(a);
      if (whole) wholes.push_back(a);
    }
    mesh.cut(wishes.dimension, list, coarse, wholes);
  }
}

}  // namespace opledger
