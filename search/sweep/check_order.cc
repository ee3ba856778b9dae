#include "search/sweep/check_order.h"

#include <algorithm>
#include <bit>

namespace opledger {
namespace {

// Doomed prefixes are counted by what decides their number where that takes few values, or many times fewer than there are prefixes: each value's candidates are
// looked at one by one, which takes some hundred times as long as a lane.
constexpr double kFewKeys = 64, kFewOfPrefixes = 64;

}  // namespace

CheckOrder::CheckOrder(const std::vector<std::uint64_t>& reads, const std::vector<CheckLevel>& levels)
    : doomed(levels.size(), std::vector<Doomed>(reads.size())) {
  for (const std::uint64_t read : reads) settled.push_back(std::max(settled.empty() ? -1 : settled.back(), static_cast<int>(std::bit_width(read)) - 1));
  for (std::size_t l = levels.size(); l-- > 0;) {
    const std::uint64_t until = ~std::uint64_t{0} >> (63 - l);
    std::uint64_t pending = levels[l].decide;  // levels that the checks so far read which aren't known yet
    bool any = false;
    for (std::size_t c = 0; c < reads.size(); ++c) {
      if ((reads[c] & ~until) != 0) {
        pending |= reads[c];
        any = true;
        continue;
      }
      if (!any) continue;
      double entries = 1;
      Doomed& own = doomed[l][c];
      for (std::uint64_t rest = pending & until; rest != 0; rest &= rest - 1) {
        own.keys.push_back(static_cast<std::size_t>(std::countr_zero(rest)));
        entries *= levels[own.keys.back()].codes;
      }
      const bool below = settled[c] <= static_cast<int>(l) + 1 || doomed[l + 1][c].counted;  // what is counted there is counted again from there
      own.counted = below && entries <= std::max(kFewKeys, levels[l].prefixes / kFewOfPrefixes);
      if (!own.counted) own.keys.clear();
    }
  }
}

}  // namespace opledger
