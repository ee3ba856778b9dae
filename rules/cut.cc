#include <algorithm>
#include <string>

#include "rules/place.h"

namespace opledger {

namespace {

/// All the axes that rules give to one dimension, by name, in the order in which they are first named.
struct Wishes {
  DimId dimension = -1;
  std::vector<std::string> axes;
};

class Collector {
 public:
  explicit Collector(const Graph& graph) : graph_(graph) {}

  void add(const ShardRule& rule) {
    bool partly = rule.uneven == Uneven::replicate || rule.uneven == Uneven::part;
    for (const std::string& name : rule.dimensions) {
      DimId dimension = graph_.dimension(name);
      if (dimension < 0) continue;
      if (partly) wish(dimension, rule.axes);
      for (const auto& [fine, coarse] : graph_.grouped) {
        if (fine == dimension) wish(coarse, rule.axes);
      }
    }
  }

  const std::vector<Wishes>& all() const { return all_; }

 private:
  void wish(DimId dimension, const std::vector<std::string>& axes) {
    auto wishes = std::find_if(all_.begin(), all_.end(), [dimension](const Wishes& other) { return other.dimension == dimension; });
    if (wishes == all_.end()) wishes = all_.insert(all_.end(), {dimension, {}});
    for (const std::string& axis : axes) {
      if (std::find(wishes->axes.begin(), wishes->axes.end(), axis) == wishes->axes.end()) wishes->axes.push_back(axis);
    }
  }

  const Graph& graph_;
  std::vector<Wishes> all_;
};

}  // namespace

void cut_axes(Derivation& d) {
  Collector collector(d.graph);
  for (const ShardRule& rule : d.rules.shard) collector.add(rule);
  for (const NodeRule& node : d.rules.nodes) {
    for (const ShardRule& rule : node.shard) collector.add(rule);
  }
  // One cut for each dimension: whichever of the parts that fit it a node takes, together they divide it.
  for (const Wishes& wishes : collector.all()) {
    const bool coarse = std::any_of(d.graph.grouped.begin(), d.graph.grouped.end(), [&](const auto& pair) { return pair.second == wishes.dimension; });
    d.out.mesh.cut(wishes.dimension, d.out.mesh.expand(wishes.axes), coarse);
  }
}

}  // namespace opledger
