#pragma once
#include <cstdint>
#include <utility>
#include <vector>

/// Topological order and cycles of a graph of arcs. Only this file uses the algorithms of Boost.Graph, whose headers
/// compile slowly.
namespace opledger {

using Arc = std::pair<std::int32_t, std::int32_t>;  ///< Pair of (read, reader).

struct Ordering {
  std::vector<std::int32_t> order;  ///< Sources before readers; among ready elements, the lowest number first.
  std::vector<std::int32_t> cycle;  ///< A shortest cycle from the lowest number; no order exists then. Empty without a cycle.
};

Ordering order_by_arcs(std::size_t count, const std::vector<Arc>& arcs);

}  // namespace opledger
