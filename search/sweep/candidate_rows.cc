#include "search/sweep/candidate_rows.h"

#include <algorithm>
#include <numeric>

namespace opledger {

void CandidateRows::append(const CandidateRows& other) {
  count += other.count;
  values.insert(values.end(), other.values.begin(), other.values.end());
  costs.insert(costs.end(), other.costs.begin(), other.costs.end());
  ranks.insert(ranks.end(), other.ranks.begin(), other.ranks.end());
}

/// Sorts rows by `ranks`: for each row the positions of its values in their domains, by free axis. Their lexicographic
/// order is the order of the space. The row numbers are sorted first, then each row is copied once; `values` and
/// `costs` are row-major tables. Rows in the right order stay in place, a common case: a range with one group, whose
/// plan assigns the axes in the order of the space. Ranks are dropped, because nothing reads them afterwards.
void CandidateRows::sort() {
  const std::size_t width = count == 0 ? 0 : ranks.size() / count;
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto before = [&](std::size_t a, std::size_t b) {
    const auto* const left = ranks.data() + a * width;
    const auto* const right = ranks.data() + b * width;
    return std::lexicographical_compare(left, left + width, right, right + width);
  };
  if (!std::is_sorted(order.begin(), order.end(), before)) {
    std::sort(order.begin(), order.end(), before);
    CandidateRows sorted{axes, metrics, count, {}, {}, {}};
    sorted.values.reserve(values.size());
    sorted.costs.reserve(costs.size());
    for (const std::size_t row : order) {
      sorted.values.insert(sorted.values.end(), values_of(row), values_of(row) + axes);
      sorted.costs.insert(sorted.costs.end(), costs_of(row), costs_of(row) + metrics);
    }
    *this = std::move(sorted);
  }
  ranks.clear();
}

}  // namespace opledger
