#include <algorithm>
#include <string>

#include "rules/place.h"

namespace opledger {

namespace {

/// The axes that rules give to one dimension, in the order of their first mention.
struct RequestedAxes {
  DimId dimension;
  std::vector<std::string> axes;
  std::vector<std::string> cut;        ///< Axes that the dimension may fill partly.
  std::vector<std::string> undivided;  ///< Axes that are used whole but need not divide the dimension.
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
      request(dimension, rule.axes, partly ? &RequestedAxes::cut : divides ? nullptr : &RequestedAxes::undivided);
      for (const auto& [fine, coarse] : graph_.grouped) {
        if (fine == dimension) request(coarse, rule.axes, &RequestedAxes::cut);
      }
    }
  }

  const std::vector<RequestedAxes>& all() const { return all_; }

 private:
  using Names = std::vector<std::string>;
  static void add(Names& names, const std::string& name) {
    if (!contains(names, name)) names.push_back(name);
  }

  void request(DimId dimension, const Names& axes, Names RequestedAxes::*kind) {
    auto requested = std::find_if(all_.begin(), all_.end(), [dimension](const RequestedAxes& other) { return other.dimension == dimension; });
    if (requested == all_.end()) requested = all_.insert(all_.end(), {dimension, {}, {}, {}});
    for (const std::string& axis : axes) {
      add(requested->axes, axis);
      if (kind != nullptr) add((*requested).*kind, axis);
    }
  }

  const Graph& graph_;
  const RuleSet& rules_;
  std::vector<RequestedAxes> all_;
};

}  // namespace

void cut_axes(Derivation& d) {
  Collector collector(d.graph, d.rules);
  for (const ShardRule& rule : d.rules.shard) collector.add(rule);
  for (const NodeRule& node : d.rules.nodes) {
    for (const ShardRule& rule : node.shard) collector.add(rule);
  }
  // `collector` has, for each dimension, the axes that the rules give to it, at all nodes together. Each dimension
  // gets one cut, in `Mesh::cut`. The fitting parts of its axes together divide the dimension, so a node may use any
  // subset. Axes that are used whole count as filled if they divide the dimension. Axes that need not divide the
  // dimension are left out; no part may follow them. For a coarse dimension all whole axes are left out, because it
  // takes its axes from the fine dimension.
  for (const RequestedAxes& requested : collector.all()) {
    const bool coarse = std::any_of(d.graph.grouped.begin(), d.graph.grouped.end(), [&](const auto& pair) { return pair.second == requested.dimension; });
    Mesh& mesh = d.out.mesh;
    const AxisList cut = mesh.expand(requested.cut), undivided = mesh.expand(requested.undivided);
    AxisList list, wholes;
    for (const AxisId a : mesh.expand(requested.axes)) {
      const bool whole = !contains(cut, a);
      if (whole && (coarse || contains(undivided, a))) continue;
      list.push_back(a);
      if (whole) wholes.push_back(a);
    }
    mesh.cut(requested.dimension, list, coarse, wholes);
  }
}

}  // namespace opledger
