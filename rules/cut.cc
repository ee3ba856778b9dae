#include <algorithm>

#include "rules/place.h"

namespace opledger {

namespace {

void cut_for(Derivation& d, const ShardRule& rule) {
  bool partly = rule.uneven == Uneven::replicate || rule.uneven == Uneven::part;
  for (const std::string& name : rule.dimensions) {
    DimId dimension = d.graph.dimension(name);
    if (dimension < 0) continue;
    if (partly) d.out.mesh.cut(dimension, d.out.mesh.expand(rule.axes));
    for (const auto& [fine, coarse] : d.graph.grouped) {
      if (fine == dimension) d.out.mesh.cut(coarse, d.out.mesh.expand(rule.axes));
    }
  }
}

}  // namespace

void cut_axes(Derivation& d) {
  for (const ShardRule& rule : d.rules.shard) cut_for(d, rule);
  for (const NodeRule& node : d.rules.nodes) {
    for (const ShardRule& rule : node.shard) cut_for(d, rule);
  }
}

}  // namespace opledger
