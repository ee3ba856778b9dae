#include "rules/unassigned.h"

#include <algorithm>

#include "graph/signature.h"
#include "rules/match.h"

namespace opledger {

namespace {

/// Visits every node and every free axis. An axis is free if it splits no dimension of the node, is not consumed, and
/// is no axis of the layers. A dimension is reported if it can be split and no rule assigns the axis to it.
class UnassignedFinder {
 public:
  explicit UnassignedFinder(Derivation& d) : d_(d), nodes_with_(d.graph.dimensions.size()) {
    for (const NodeId n : d.graph.nodes.ids()) {
      for (DimId dimension : d.graph.nodes[n].dims) ++nodes_with_[dimension];
    }
  }

  void find(NodeId id) {
    const DimList open = splittable(id);
    for (AxisId axis : d_.out.mesh.order) {
      if (is_used(d_.of(id), axis)) continue;
      DimList unassigned;
      for (DimId dimension : open) {
        if (!is_assigned(id, dimension, axis)) unassigned.push_back(dimension);
      }
      if (!unassigned.empty()) d_.of(id).unassigned.emplace_back(axis, std::move(unassigned));
    }
  }

 private:
  bool is_used(const NodePlacement& node, AxisId axis) const { return contains(d_.out.layers, axis) || contains(node.consumed, axis) || splits(node, axis); }

  DimList frozen(NodeId id) const {
    DimList out;
    for (const std::string& name : d_.graph.nodes[id].op->frozen) out = join(out, named_dims(d_.graph, id, name));
    for (const NodeRule* rule : d_.node_rules[id]) {
      for (const std::string& name : rule->freeze) out = join(out, {d_.graph.dimension(name)});
      for (const std::string& name : rule->thaw) out = without(out, {d_.graph.dimension(name)});
    }
    return out;
  }

  /// Returns the dimensions of the node that follow other dimensions; rules cannot place them.
  DimList followers(const Node& node) const {
    DimList out;
    for (const auto& [fine, coarse] : d_.graph.grouped) {
      if (contains(node.dims, fine)) out.push_back(coarse);
    }
    for (const Operator::Halo& halo : node.op->halo) out.push_back(d_.graph.dimension(halo.dimension));
    for (const auto& entry : node.op->moved) out.push_back(d_.graph.dimension(entry.first));
    return out;
  }

  /// Returns the dimensions that rules could split, rarest first. Dimensions with a split that needs no reduction are
  /// preferred; if the node has none, every dimension counts.
  DimList splittable(NodeId id) const {
    const Node& node = d_.graph.nodes[id];
    const DimList all = without(without(node.dims, frozen(id)), followers(node));
    DimList summed, free;
    for (const auto& entry : node.op->inner) summed = join(summed, named_dims(d_.graph, id, entry.first));
    for (const auto& entry : node.op->carry) summed = join(summed, {d_.graph.dimension(entry.first)});
    for (DimId dimension : all) {
      const bool produced = std::any_of(node.outputs.begin(), node.outputs.end(), [&](TensorId t) { return contains(d_.tensor(t).dims, dimension); });
      if (produced && !contains(summed, dimension)) free.push_back(dimension);
    }
    DimList out = free.empty() ? all : free;
    std::stable_sort(out.begin(), out.end(), [&](DimId a, DimId b) { return nodes_with_[a] < nodes_with_[b]; });
    return out;
  }

  bool gives(const ShardRule& rule, DimId dimension, AxisId axis) const {
    const Mesh& mesh = d_.out.mesh;
    if (!contains(rule.dimensions, d_.graph.name(dimension))) return false;
    const AxisList axes = mesh.expand(rule.axes);
    return std::any_of(axes.begin(), axes.end(), [&](AxisId a) { return mesh.whole(a) == mesh.whole(axis); });
  }

  bool is_assigned(NodeId id, DimId dimension, AxisId axis) const {
    const auto assigns = [&](const std::vector<ShardRule>& rules) {
      return std::any_of(rules.begin(), rules.end(), [&](const ShardRule& rule) { return gives(rule, dimension, axis); });
    };
    const std::vector<const NodeRule*>& own = d_.node_rules[id];
    return assigns(d_.rules.shard) || std::any_of(own.begin(), own.end(), [&](const NodeRule* rule) { return assigns(rule->shard); });
  }

  Derivation& d_;
  IdVector<DimId, std::size_t> nodes_with_;  ///< Number of nodes with each dimension.
};

}  // namespace

void find_unassigned(Derivation& d) {
  UnassignedFinder unassigned(d);
  for (const NodeId n : d.graph.nodes.ids()) unassigned.find(n);
}

}  // namespace opledger
