#pragma once
#include <string>
#include <utility>
#include <vector>

#include "base/source.h"
#include "graph/graph.h"

/// Patterns by which rules select nodes and tensors.
namespace opledger {

/// A condition on nodes. All keys that are present must hold; a key holds if one of its words matches, and `without`
/// if none does. Words are globs. `name` is compared with the full dotted name, the name without its segment, and the
/// last part. `with` and `without` are dimensions of the node, `block` is the block of its segment.
struct Match {
  std::vector<std::string> name, op, with, without, component, tag, segment, block;
  std::vector<std::pair<std::string, std::vector<std::string>>> attribute;  ///< Attributes that list dimensions; at least one listed dimension must match.
  Span span;                                                                ///< Position of the condition, else of the rule.
};

/// Returns the texts with which the key `name` is compared: the names of a node with and without its segment, and the last
/// part.
std::vector<std::string> names_of_node(const Graph& graph, NodeId node);

/// Returns whether a rule selects the node.
bool matches(const Match& match, const Graph& graph, NodeId node);

/// Returns whether a rule selects a tensor between segments. Only its dimensions are known there, so `with` and
/// `without` must hold and no other key may be present.
bool matches(const Match& match, const Graph& graph, const DimList& dims);

/// Returns whether `tensor` patterns select a tensor or weight, by its name with or without the segment. An empty list
/// selects everything.
bool names(const std::vector<std::string>& patterns, const std::string& tensor);

/// Returns whether one pattern matches one of the texts; an empty list matches everything.
bool fits(const std::vector<std::string>& patterns, const std::vector<std::string>& texts);

}  // namespace opledger
