#pragma once
#include <cstdint>
#include <utility>
#include <vector>

/// Orders and cycles of what reads what. The only place that uses Boost.Graph's algorithms, whose headers are slow to compile.
namespace opledger {

using Arc = std::pair<std::int32_t, std::int32_t>;  ///< (read, reader)

struct Ordering {
  std::vector<std::int32_t> order;  ///< Every source before its readers; among those that could come next, the lowest number first.
  std::vector<std::int32_t> cycle;  ///< Not empty: there is no such order, and these read each other in turn, a shortest one from the lowest number.
};

Ordering order_by_arcs(std::size_t count, const std::vector<Arc>& arcs);

}  // namespace opledger
