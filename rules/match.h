#pragma once
#include <string>
#include <utility>
#include <vector>

#include "base/source.h"
#include "graph/graph.h"

/// What a rule speaks of.
namespace opledger {

/// Which nodes a rule speaks of; every given key must hold. Words are globs; `name` is matched with the full dotted name, the name without its segment,
/// and its last part.
struct Match {
  std::vector<std::string> name, op, with, without, component, tag, segment, block;
  std::vector<std::pair<std::string, std::vector<std::string>>> attribute;  ///< A dimension list attribute that holds one of these dimensions.
  Span span;
};

bool matches(const Match& match, const Graph& graph, NodeId node);

/// Whether a rule speaks of a tensor between segments, which is placed by its dimensions alone: no key but `with` and `without` is given, and they hold.
bool matches(const Match& match, const Graph& graph, const DimList& dims);

/// Whether a rule's `tensor` names a tensor or weight: by its name, or by that without the segment. Patterns that are not given name all.
bool names(const std::vector<std::string>& patterns, const std::string& tensor);

/// Whether a key of a rule holds: it is not given, or one of its patterns fits one of the texts.
bool fits(const std::vector<std::string>& patterns, const std::vector<std::string>& texts);

}  // namespace opledger
