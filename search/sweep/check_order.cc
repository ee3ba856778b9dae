#include "search/sweep/check_order.h"

#include <algorithm>
#include <bit>

namespace opledger {
namespace {

// Limits of a table of pending prunes: at most kFewKeys entries, or one entry for at least kPrefixesPerKey prefixes. An
// entry is filled by visiting prefixes one by one, which costs about a hundred times as much as a lane.
constexpr double kFewKeys = 64, kPrefixesPerKey = 64;

}  // namespace

/// Decides for each level and check if a subtree with a pending prune is tabulated. `reads` has for each check the mask
/// of the levels that it reads, in the order of checks. Candidates count under the first check that fails.
///
/// Suppose a prefix of level l fails check c, while an earlier check reads a deeper level and is undecided. All
/// candidates below the prefix are refused, but a part of them counts under the earlier check. This split depends on
/// the levels that decide the subtree size, and on the levels that the undecided checks read. The levels among them up
/// to l are the keys of a table. Its number of entries is the product of their numbers of values; a table with few
/// entries is cheaper than a visit of the subtrees. Levels are processed from the innermost out, because a table on
/// level l is filled from tables on level l + 1.
CheckOrder::CheckOrder(const std::vector<std::uint64_t>& reads, const std::vector<CheckLevel>& levels)
    : pending_prunes(levels.size(), std::vector<PendingPrune>(reads.size())) {
  for (const std::uint64_t read : reads)
    decided_at.push_back(std::max(decided_at.empty() ? -1 : decided_at.back(), static_cast<int>(std::bit_width(read)) - 1));
  for (std::size_t l = levels.size(); l-- > 0;) {
    const std::uint64_t until = ~std::uint64_t{0} >> (63 - l);
    std::uint64_t pending = levels[l].size_levels;  // levels that decide the split
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
      // The next level must finish the split: by a decision there, or by a table of its own.
      const bool below = decided_at[c] <= static_cast<int>(l) + 1 || pending_prunes[l + 1][c].is_counted;
      prune.is_counted = below && entries <= std::max(kFewKeys, levels[l].prefixes / kPrefixesPerKey);
      if (!prune.is_counted) prune.keys.clear();
    }
  }
}

}  // namespace opledger
