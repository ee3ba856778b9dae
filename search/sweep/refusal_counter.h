#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "search/sweep/prefixes.h"

/// For which checks the candidates behind a prefix are refused that fails one: each fails that one, but some fail another before it, which further axes decide.
/// Counted once for all prefixes that agree on what these checks read, where the plan says that these are few.
namespace opledger {

class RefusalCounter {
 public:
  /// `inputs`: of the plan's kernel.
  RefusalCounter(const Plan& plan, Prefixes& prefixes, std::vector<double> inputs);

  /// Adds all candidates of a variant behind a prefix to the checks that refuse them. `place`: of the first that the prefix fails, so far; `path`: its codes of
  /// the keys of that check when it dooms, by level; may be written to behind the prefix. `refused`: by place.
  void add(std::size_t level, std::size_t variant, std::size_t place, std::uint32_t* path, std::vector<std::uint64_t>& refused, Diagnostics& diagnostics);

  using Counts = std::vector<std::pair<std::size_t, std::uint64_t>>;  ///< (place, candidates)
  /// What was counted of prefixes that fail a check, by number.
  struct CountTable {
    /// False: of this one nothing.
    bool add(std::uint32_t number, std::vector<std::uint64_t>& refused) const {
      if (number >= counts.size() || !counts[number]) return false;
      for (const auto& [by, count] : *counts[number]) refused[by] += count;
      return true;
    }

    CodeKey key;
    std::vector<std::optional<Counts>> counts;
  };
  CountTable& table(std::size_t level, std::size_t variant, std::size_t place);

 private:
  const Counts& counts_of(std::size_t level, std::size_t variant, std::size_t place, std::uint32_t* path, Diagnostics& diagnostics);
  Counts sum_over_choices(std::size_t level, std::size_t variant, std::size_t place, std::uint32_t* path, Diagnostics& diagnostics);
  std::size_t first_failing(std::size_t level, std::size_t variant, std::size_t place, const std::uint32_t* path);

  const Plan& plan_;
  Prefixes& prefixes_;
  std::vector<double> inputs_;
  std::vector<std::size_t> sizes_;                                             ///< By level: codes; 0: any number.
  std::vector<std::optional<Kernel>> check_kernels_;                           ///< By check that was asked for.
  std::vector<std::vector<std::vector<std::unique_ptr<CountTable>>>> tables_;  ///< By variant, level and place.
};

}  // namespace opledger
