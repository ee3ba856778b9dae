#pragma once
#include <cstdint>
#include <vector>

/// The checks of a structure, in the order in which they are made, on the levels of a plan: when it is known which is the first that fails.
namespace opledger {

/// What of a level the order of checks depends on.
struct CheckLevel {
  std::uint64_t size_levels = 0;  ///< Levels up to here that decide how many candidates there are behind it, as a mask.
  double codes = 1;               ///< Of its values, or about as many as it has prefixes.
  double prefixes = 1;            ///< About.
};

struct CheckOrder {
  /// Candidates behind a prefix that fails a check may fail one before it that isn't known yet.
  struct PendingPrune {
    bool is_counted = false;        ///< Few levels decide how many do: they are counted at once.
    std::vector<std::size_t> keys;  ///< These, up to that of the prefix, with those that decide how many there are.
  };

  /// `reads`: by check, the levels that decide it, as a mask.
  CheckOrder(const std::vector<std::uint64_t>& reads, const std::vector<CheckLevel>& levels);

  std::vector<int> decided_at;                            ///< By check: the level at which it is known whether it is the first that fails; -1: before any.
  std::vector<std::vector<PendingPrune>> pending_prunes;  ///< By level and check.
};

}  // namespace opledger
