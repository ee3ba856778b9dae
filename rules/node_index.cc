#include "rules/node_index.h"

#include <algorithm>

namespace opledger {
namespace {

/// Returns whether the patterns are texts without wildcards, and there is one.
bool are_texts(const std::vector<std::string>& patterns) {
  return !patterns.empty() && std::none_of(patterns.begin(), patterns.end(), [](const std::string& p) { return p.find_first_of("*?") != std::string::npos; });
}

}  // namespace

void NodeIndex::fill() const {
  for (const NodeId n : graph_.nodes.ids()) {
    for (const std::string& name : names_of_node(graph_, n)) by_name_[name].push_back(n);
    by_operator_[graph_.nodes[n].op->name].push_back(n);
  }
}

std::vector<NodeId> NodeIndex::nodes_with(const std::vector<std::string>& texts, const Places& places) {
  std::vector<NodeId> out;
  for (const std::string& text : texts) {
    if (const auto found = places.find(text); found != places.end()) out.insert(out.end(), found->second.begin(), found->second.end());
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

const std::vector<NodeId>& NodeIndex::nodes(const Match& match) const {
  const auto [place, is_new] = selected_.try_emplace(&match);
  std::vector<NodeId>& out = place->second;
  if (!is_new) return out;
  const bool by_name = are_texts(match.name), by_operator = are_texts(match.op);
  if ((by_name || by_operator) && by_operator_.empty()) fill();
  if (by_name) {
    out = nodes_with(match.name, by_name_);
  } else if (by_operator) {
    out = nodes_with(match.op, by_operator_);
  } else {
    for (const NodeId n : graph_.nodes.ids()) out.push_back(n);
  }
  std::erase_if(out, [&](NodeId n) { return !matches(match, graph_, n); });
  return out;
}

bool NodeIndex::selects(const Match& match, NodeId node) const {
  const std::vector<NodeId>& all = nodes(match);
  return std::binary_search(all.begin(), all.end(), node);
}

}  // namespace opledger
