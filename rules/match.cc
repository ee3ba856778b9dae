#include <algorithm>

#include "base/text.h"
#include "rules/match.h"

namespace opledger {

namespace {

using Words = std::vector<std::string>;

Words dimension_names(const Graph& graph, const DimList& dims) {
  Words all;
  for (DimId d : dims) all.push_back(graph.name(d));
  return all;
}

bool dimensions_fit(const Match& match, const Graph& graph, const DimList& dims) {
  Words all = dimension_names(graph, dims);
  return fits(match.with, all) && (match.without.empty() || !fits(match.without, all));
}

bool attributes_fit(const Match& match, const Graph& graph, const Node& node) {
  return std::all_of(match.attribute.begin(), match.attribute.end(), [&](const auto& expected) {
    auto found = node.attributes.find(expected.first);
    return found != node.attributes.end() && fits(expected.second, dimension_names(graph, found->second));
  });
}

}  // namespace

const Words& carried_words() {
  static const Words kWords = {"activation", "gradient", "weight", "weight-gradient", "statistic"};
  return kWords;
}

bool fits(const Words& patterns, const Words& texts) {
  if (patterns.empty()) return true;
  for (const std::string& pattern : patterns) {
    if (std::any_of(texts.begin(), texts.end(), [&](const std::string& text) { return glob_match(pattern, text); })) return true;
  }
  return false;
}

bool names(const Words& patterns, const std::string& tensor) { return fits(patterns, {tensor, tensor.substr(tensor.find('.') + 1)}); }

Words names_of_node(const Graph& graph, NodeId id) {
  const Node& node = graph.nodes[id];
  return {node.name, graph.segments[node.segment].whole + "." + node.label, node.label, node.label.substr(node.label.rfind('.') + 1)};
}

bool matches(const Match& match, const Graph& graph, NodeId id) {
  const Node& node = graph.nodes[id];
  const Segment& segment = graph.segments[node.segment];
  return (match.name.empty() || fits(match.name, names_of_node(graph, id))) && fits(match.op, {node.op->name}) && fits(match.component, {node.component}) &&
         fits(match.tag, node.tags) && fits(match.segment, {segment.name, segment.whole}) &&
         fits(match.block, {segment.block ? segment.block->name : std::string()}) && dimensions_fit(match, graph, node.dims) &&
         attributes_fit(match, graph, node);
}

bool matches(const Match& match, const Graph& graph, const DimList& dims) {
  for (const Words* key : {&match.name, &match.op, &match.component, &match.tag, &match.segment, &match.block}) {
    if (!key->empty()) return false;
  }
  return match.attribute.empty() && dimensions_fit(match, graph, dims);
}

}  // namespace opledger
