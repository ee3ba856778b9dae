#include "rules/unspoken.h"

#include <algorithm>

#include "graph/signature.h"
#include "rules/match.h"

namespace opledger {

namespace {

class Unspoken {
 public:
  explicit Unspoken(Derivation& d) : d_(d), met_(d.graph.dimensions.size()) {
    for (const NodeId n : d.graph.nodes.ids()) {
      for (DimId dimension : d.graph.nodes[n].dims) ++met_[dimension];
    }
  }

  void find(NodeId id) {
    const DimList open = splittable(id);
    for (AxisId axis : d_.out.mesh.order) {
      if (taken(d_.of(id), axis)) continue;
      DimList unspoken;
      for (DimId dimension : open) {
        if (!spoken(id, dimension, axis)) unspoken.push_back(dimension);
      }
      if (!unspoken.empty()) d_.of(id).unspoken.emplace_back(axis, std::move(unspoken));
    }
  }

 private:
  bool taken(const NodePlacement& node, AxisId axis) const { return contains(d_.out.layers, axis) || contains(node.spent, axis) || splits(node, axis); }

  DimList frozen(NodeId id) const {
    DimList out;
    for (const std::string& name : d_.graph.nodes[id].op->frozen) out = join(out, named_dims(d_.graph, id, name));
    for (const NodeRule& rule : d_.rules.nodes) {
      if (!matches(rule.match, d_.graph, id)) continue;
      for (const std::string& name : rule.freeze) out = join(out, {d_.graph.dimension(name)});
      for (const std::string& name : rule.thaw) out = without(out, {d_.graph.dimension(name)});
    }
    return out;
  }

  /// Those that go with others of the node: rules can't place them.
  DimList followers(const Node& node) const {
    DimList out;
    for (const auto& [fine, coarse] : d_.graph.grouped) {
      if (contains(node.dims, fine)) out.push_back(coarse);
    }
    for (const Operator::Halo& halo : node.op->halo) out.push_back(d_.graph.dimension(halo.dimension));
    for (const auto& entry : node.op->moved) out.push_back(d_.graph.dimension(entry.first));
    return out;
  }

  /// Those whose split leaves nothing to add up, if there are any; of these first what fewer nodes have.
  DimList splittable(NodeId id) const {
    const Node& node = d_.graph.nodes[id];
    const DimList all = without(without(node.dims, frozen(id)), followers(node));
    DimList summed, free;
    for (const auto& entry : node.op->inner) summed = join(summed, named_dims(d_.graph, id, entry.first));
    for (const auto& entry : node.op->carry) summed = join(summed, {d_.graph.dimension(entry.first)});
    for (DimId dimension : all) {
      const bool made = std::any_of(node.outputs.begin(), node.outputs.end(), [&](TensorId t) { return contains(d_.tensor(t).dims, dimension); });
      if (made && !contains(summed, dimension)) free.push_back(dimension);
    }
    DimList out = free.empty() ? all : free;
    std::stable_sort(out.begin(), out.end(), [&](DimId a, DimId b) { return met_[a] < met_[b]; });
    return out;
  }

  bool gives(const ShardRule& rule, DimId dimension, AxisId axis) const {
    const Mesh& mesh = d_.out.mesh;
    if (!contains(rule.dimensions, d_.graph.name(dimension))) return false;
    const AxisList axes = mesh.expand(rule.axes);
    return std::any_of(axes.begin(), axes.end(), [&](AxisId a) { return mesh.whole(a) == mesh.whole(axis); });
  }

  bool spoken(NodeId id, DimId dimension, AxisId axis) const {
    const auto speaks = [&](const std::vector<ShardRule>& rules) {
      return std::any_of(rules.begin(), rules.end(), [&](const ShardRule& rule) { return gives(rule, dimension, axis); });
    };
    return speaks(d_.rules.shard) || std::any_of(d_.rules.nodes.begin(), d_.rules.nodes.end(),
                                                 [&](const NodeRule& rule) { return speaks(rule.shard) && matches(rule.match, d_.graph, id); });
  }

  Derivation& d_;
  IdVector<DimId, std::size_t> met_;  ///< Nodes that have it.
};

}  // namespace

void find_unspoken(Derivation& d) {
  Unspoken unspoken(d);
  for (const NodeId n : d.graph.nodes.ids()) unspoken.find(n);
}

}  // namespace opledger
