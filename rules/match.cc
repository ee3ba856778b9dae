#include <algorithm>

#include "base/text.h"
#include "rules/rule_set.h"

namespace opledger {

namespace {

using Words = std::vector<std::string>;

/// A key that is not given always holds; otherwise one of its patterns must fit one of the texts.
bool one_of(const Words& patterns, const Words& texts) {
  if (patterns.empty()) return true;
  for (const std::string& pattern : patterns) {
    if (std::any_of(texts.begin(), texts.end(), [&](const std::string& text) { return glob_match(pattern, text); })) return true;
  }
  return false;
}

Words names(const Graph& graph, const DimList& dims) {
  Words all;
  for (DimId d : dims) all.push_back(graph.name(d));
  return all;
}

bool dimensions_fit(const Match& match, const Graph& graph, const DimList& dims) {
  Words all = names(graph, dims);
  return one_of(match.with, all) && (match.without.empty() || !one_of(match.without, all));
}

bool attributes_fit(const Match& match, const Graph& graph, const Node& node) {
  return std::all_of(match.attribute.begin(), match.attribute.end(), [&](const auto& wanted) {
    auto found = node.attributes.find(wanted.first);
    return found != node.attributes.end() && one_of(wanted.second, names(graph, found->second));
  });
}

}  // namespace

bool matches(const Match& match, const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  const Segment& segment = graph.segments[node.segment];
  std::string last = node.label.substr(node.label.rfind('.') + 1);
  return one_of(match.name, {node.name, segment.whole + "." + node.label, node.label, last}) && one_of(match.op, {node.op->name}) &&
         one_of(match.component, {node.component}) && one_of(match.tag, node.tags) && one_of(match.segment, {segment.name, segment.whole}) &&
         one_of(match.block, {segment.block ? segment.block->name : std::string()}) && dimensions_fit(match, graph, node.dims) &&
         attributes_fit(match, graph, node);
}

bool matches(const Match& match, const Graph& graph, const DimList& dims) {
  for (const Words* key : {&match.name, &match.op, &match.component, &match.tag, &match.segment, &match.block}) {
    if (!key->empty()) return false;
  }
  return match.attribute.empty() && dimensions_fit(match, graph, dims);
}

}  // namespace opledger
