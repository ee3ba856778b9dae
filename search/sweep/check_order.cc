#include "search/sweep/check_order.h"

#include <algorithm>
#include <bit>

namespace opledger {
namespace {

// PendingPrune prefixes are counted by what decides their number where that takes few values, or many times fewer than there are prefixes: each value's candidates are
// looked at one by one, which takes some hundred times as long as a lane.
constexpr double kFewKeys = 64, kPrefixesPerKey = 64;

}  // namespace

CheckOrder::CheckOrder(const std::vector<std::uint64_t>& reads, const std::vector<CheckLevel>& levels)
    : pending_prunes(levels.size(), std::vector<PendingPrune>(reads.size())) {
  for (const std::uint64_t read : reads)
    decided_at.push_back(std::max(decided_at.empty() ? -1 : decided_at.back(), static_cast<int>(std::bit_width(read)) - 1));
  for (std::size_t l = levels.size(); l-- > 0;) {
    const std::uint64_t until = ~std::uint64_t{0} >> (63 - l);
    std::uint64_t pending = levels[l].size_levels;  // levels that the checks so far read which aren't known yet
    bool has_undecided = false;
    for (std::size_t c = 0; c < reads.size(); ++c) {
      if ((reads[c] & ~until) != 0) {
        pending |= reads[c];
        has_undecided = true;
        continue;
      }
      if (!has_undecided) continue;
      double entries = 1;
      PendingPrune& prune = pending_prunes[l][c];
      for (std::uint64_t rest = pending & until; rest != 0; rest &= rest - 1) {
        prune.keys.push_back(static_cast<std::size_t>(std::countr_zero(rest)));
        entries *= levels[prune.keys.back()].codes;
      }
      const bool below = decided_at[c] <= static_cast<int>(l) + 1 || pending_prunes[l + 1][c].is_counted;  // what is counted there is counted again from there
      prune.is_counted = below && entries <= std::max(kFewKeys, levels[l].prefixes / kPrefixesPerKey);
      if (!prune.is_counted) prune.keys.clear();
    }
  }
}

}  // namespace opledger
