#pragma once
#include <cstdint>
#include <vector>

/// The checks of a variant in their order, placed on the levels of a plan. Candidates are counted by the first check that
/// fails. Each check is computed as early as possible, so the order of computation differs from the order of checks.
/// A prefix can fail a late check while an earlier check is still undecided.
///
///     levels    a, b                     a = 3 fails check 1, so all candidates with a = 3 are refused.
///     check 0   reads a and b            But b decides whether check 0 or check 1 counts each of them:
///     check 1   reads a                  the prune of a = 3 is pending.
namespace opledger {

/// The properties of a level that the order of checks depends on.
struct CheckLevel {
  std::uint64_t size_levels = 0;  ///< Mask of the levels up to this one that decide the subtree size of its prefixes.
  double codes = 1;               ///< Number of values of the axis; if unknown, the number of prefixes.
  double prefixes = 1;            ///< Estimated number of prefixes.
};

/// The decisions about pruning for one variant. Variants whose checks read the same levels, in the same order, share the
/// decisions.
struct CheckOrder {
  /// A prefix fails a check, but an undecided earlier check may refuse some candidates of its subtree first. The prefix
  /// is pruned at once if the split of its subtree over checks can be tabulated; otherwise it is carried further.
  struct PendingPrune {
    bool is_counted = false;        ///< A small table splits the subtree, so the subtree is counted at once and pruned.
    std::vector<std::size_t> keys;  ///< Levels up to the prefix whose values decide the split, ascending; the table's key. Empty unless `is_counted`.
  };

  /// `reads`: masks of the levels that each check reads, in the order of checks.
  CheckOrder(const std::vector<std::uint64_t>& reads, const std::vector<CheckLevel>& levels);

  /// Level at which a check and all earlier checks are known, by check; -1 if no level is needed.
  std::vector<int> decided_at;
  std::vector<std::vector<PendingPrune>> pending_prunes;  ///< Indexed by level and check.
};

}  // namespace opledger
