#pragma once
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "search/sweep/prefixes.h"

/// For which checks the candidates behind a prefix are refused that fails one: each fails that one, but some fail another before it, which further axes decide.
/// Counted once for all prefixes that agree on what these checks read, where the plan says that these are few.
namespace opledger {

class Refusals {
 public:
  /// `values`: by axis; those of axes that have no level are the part's.
  Refusals(const Plan& plan, const FreeAxes& free, Prefixes& prefixes, std::vector<double> values);

  /// Adds all candidates behind a prefix that fails `check` first, so far, to the checks that refuse them. `path`: its codes of Plan::doomed's keys, by level;
  /// may be written to behind the prefix.
  void add(std::size_t level, std::size_t check, std::uint32_t* path, std::vector<std::uint64_t>& refused, Diagnostics& diagnostics);

 private:
  using Counts = std::vector<std::pair<std::size_t, std::uint64_t>>;  ///< (check, candidates)
  struct Known {
    CodeKey key;
    std::vector<std::optional<Counts>> counts;
  };

  const Counts& of(std::size_t level, std::size_t check, std::uint32_t* path, Diagnostics& diagnostics);
  Counts over_choices(std::size_t level, std::size_t check, std::uint32_t* path, Diagnostics& diagnostics);
  std::size_t first_failing(std::size_t level, std::size_t check, const std::uint32_t* path);

  const Plan& plan_;
  const FreeAxes& free_;
  Prefixes& prefixes_;
  std::vector<double> values_;
  std::vector<std::size_t> sizes_;                        ///< By level: codes; 0: any number.
  std::vector<std::optional<Kernel>> alone_;              ///< By check that was asked for.
  std::vector<std::vector<std::optional<Known>>> known_;  ///< By level and check.
};

}  // namespace opledger
