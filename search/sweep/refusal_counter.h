#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "search/sweep/prefixes.h"

/// A counter of refused candidates by check, for subtrees pruned before their first failing check is certain. Every
/// candidate of such a subtree fails a known check, but an earlier check that reads further levels may fail first.
/// Counts are memoized for prefixes that agree on the levels that the split depends on.
namespace opledger {

/// A counter for one share of a group.
class RefusalCounter {
 public:
  /// `inputs`: inputs of the plan's kernel; the counter overwrites inputs of levels.
  RefusalCounter(const Plan& plan, Prefixes& prefixes, std::vector<double> inputs);

  /// Adds the candidates of a variant in a subtree to the counts of their first failing checks. `level`: last level of the
  /// prefix. `place`: position of the first check that the prefix is known to fail. `path`: codes of the levels in the
  /// table's key; deeper entries are overwritten. `refused`: counts by position of a check.
  void add(std::size_t level, std::size_t variant, std::size_t place, std::uint32_t* path, std::vector<std::uint64_t>& refused, Diagnostics& diagnostics);

  using Counts = std::vector<std::pair<std::size_t, std::uint64_t>>;  ///< Pairs of a position of a check and a number of candidates.
  /// The memo for one level, variant and check: counts by the number of the key.
  struct CountTable {
    /// Adds the memoized counts. Returns false if the number has none.
    bool add(std::uint32_t number, std::vector<std::uint64_t>& refused) const {
      if (number >= counts.size() || !counts[number]) return false;
      for (const auto& [by, count] : *counts[number]) refused[by] += count;
      return true;
    }

    CodeKey key;                                ///< Numbering of prefixes by the levels that decide the split.
    std::vector<std::optional<Counts>> counts;  ///< Counts by number of the key; empty until computed.
  };
  /// Returns the memo for prefixes of `level` that fail the check at `place`.
  CountTable& table(std::size_t level, std::size_t variant, std::size_t place);

 private:
  /// Returns the memoized counts of a prefix, computed if missing.
  const Counts& counts_of(std::size_t level, std::size_t variant, std::size_t place, std::uint32_t* path, Diagnostics& diagnostics);
  /// Computes counts as the sum over the children of a prefix, or from the subtree size if the split is decided.
  Counts sum_over_choices(std::size_t level, std::size_t variant, std::size_t place, std::uint32_t* path, Diagnostics& diagnostics);
  /// Returns the position of the first check before `place` that becomes known on `level` and fails; else `place`.
  std::size_t first_failing(std::size_t level, std::size_t variant, std::size_t place, const std::uint32_t* path);

  const Plan& plan_;
  Prefixes& prefixes_;
  std::vector<double> inputs_;                                                 ///< Inputs of the kernels of single checks.
  std::vector<std::size_t> sizes_;                                             ///< Number of codes of each level; 0 if unbounded.
  std::vector<std::optional<Kernel>> check_kernels_;                           ///< Kernel of each single check, made at first use.
  std::vector<std::vector<std::vector<std::unique_ptr<CountTable>>>> tables_;  ///< Indexed by variant, level and position of the check.
};

}  // namespace opledger
