#include "rules/grid.h"

#include <algorithm>

namespace opledger {

namespace {

/// Lists groups of axes, in the order of precedence: merges, lists of rules, parts of one axis.
std::vector<AxisList> communicators(const Mesh& mesh, const RuleSet& rules) {
  std::vector<AxisList> groups;
  for (const MergeRule& rule : rules.merge) groups.push_back(mesh.expand(rule.axes));
  auto add = [&](const ShardRule& rule) {
    if (rule.axes.size() > 1) groups.push_back(mesh.expand(rule.axes));
  };
  for (const ShardRule& rule : rules.shard) add(rule);
  for (const NodeRule& node : rules.nodes) {
    for (const ShardRule& rule : node.shard) add(rule);
  }
  for (const std::string& name : mesh.composites) groups.push_back(mesh.expand(name));
  return groups;
}

}  // namespace

Grid make_grid(const Graph& graph, const Mesh& mesh, const RuleSet& rules) {
  Grid grid;
  grid.order = mesh.order;
  grid.position.assign(mesh.axes.size(), -1);
  for (std::size_t i = 0; i < mesh.order.size(); ++i) grid.position[mesh.order[i]] = static_cast<int>(i);
  std::vector<AxisList> groups = communicators(mesh, rules);
  for (const AxisId a : mesh.axes.ids()) {
    auto has = [a](const AxisList& group) { return contains(group, a); };
    auto found = std::find_if(groups.begin(), groups.end(), has);
    grid.communicator.push_back(found != groups.end() ? static_cast<int>(found - groups.begin()) : static_cast<int>(groups.size() + a.index()));
  }
  for (const DimensionInfo& info : graph.dimensions) grid.unordered.push_back(info.unordered);
  return grid;
}

}  // namespace opledger
