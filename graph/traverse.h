#pragma once
#include <cstdint>
#include <utility>
#include <vector>

/// Topological order and cycles of a graph of arcs. Only this file uses the algorithms of Boost.Graph, whose headers
/// compile slowly.
namespace opledger {

using Arc = std::pair<std::int32_t, std::int32_t>;  ///< Numbers of an element and of an element that reads it.

/// A topological order, or a cycle that prevents it.
struct Ordering {
  std::vector<std::int32_t> order;  ///< Elements before their readers; among ready elements, the lowest number first. Incomplete with a cycle.
  /// A shortest cycle through the lowest number that lies on a cycle; begins and ends with this number. Empty without a
  /// cycle.
  std::vector<std::int32_t> cycle;
};

/// Orders the elements 0 to `count` - 1. Arcs may repeat, and an element may read itself, which is a cycle.

Ordering order_by_arcs(std::size_t count, const std::vector<Arc>& arcs);

}  // namespace opledger
