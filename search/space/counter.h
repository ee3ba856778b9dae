#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "search/space/domains.h"

/// How many candidates there are, without going over them: what a set of choices leaves is counted once for all choices that the later axes don't read.
namespace opledger {

inline constexpr std::uint64_t kMostCandidates = std::uint64_t{1} << 63;

class Counter {
 public:
  Counter(Space& space, Domains& domains);

  /// Candidates with these values of the axes before `axis`; more than `most`: some number above it. Empty, with errors, if a domain can't be made.
  std::optional<std::uint64_t> count(std::size_t axis, std::vector<double>& values, std::uint64_t most, Diagnostics& diagnostics);

  /// Domains looked at so far: what counting has cost.
  std::uint64_t steps() const { return steps_; }
  /// Counting is given up after so many steps: its result is 0 then.
  std::uint64_t patience = ~std::uint64_t{0};

 private:
  std::optional<std::uint64_t> over(std::size_t axis, std::vector<double>& values, std::uint64_t most, Diagnostics& diagnostics);

  Space& space_;
  Domains& domains_;
  std::vector<AxisSet> read_;  ///< By axis: what it and those behind it read of those before it.
  std::vector<std::map<std::pair<std::uint64_t, std::vector<double>>, std::uint64_t>> known_;  ///< By axis; by limit and what is read.
  std::uint64_t steps_ = 0;
};

}  // namespace opledger
