#pragma once
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/graph.h"
#include "rules/match.h"

/// The nodes that rules select, as an index. A strategy from another tool may have a rule for each node; comparing every
/// rule with every node would then take seconds.
namespace opledger {

/// Nodes by name and by operator, and the nodes that rules have selected so far.
class NodeIndex {
 public:
  /// `graph` must outlive the index.
  explicit NodeIndex(const Graph& graph) : graph_(graph) {}

  /// Returns the nodes that a rule selects, ascending. The result is stored by the address of `match`. The first call costs
  /// a comparison with each node that has one of the rule's names, or one of its operators; with every node if both have
  /// wildcards or are missing.
  const std::vector<NodeId>& nodes(const Match& match) const;
  /// Returns whether a rule selects the node.
  bool selects(const Match& match, NodeId node) const;
  /// Returns the rules of a list that select each node, in the order of the list.
  template <class Rule>
  IdVector<NodeId, std::vector<const Rule*>> by_node(const std::vector<Rule>& rules) const {
    IdVector<NodeId, std::vector<const Rule*>> out(graph_.nodes.size());
    for (const Rule& rule : rules) {
      for (const NodeId node : nodes(rule.match)) out[node].push_back(&rule);
    }
    return out;
  }

 private:
  using Places = std::unordered_map<std::string, std::vector<NodeId>>;

  /// Returns the union of the nodes listed under these texts, ascending and without duplicates.
  static std::vector<NodeId> nodes_with(const std::vector<std::string>& texts, const Places& places);
  /// Lists every node under its names and its operator.
  void fill() const;

  const Graph& graph_;
  mutable Places by_name_, by_operator_;                                    ///< Filled for the first rule without wildcards.
  mutable std::unordered_map<const Match*, std::vector<NodeId>> selected_;  ///< Results of `nodes`.
};

}  // namespace opledger
