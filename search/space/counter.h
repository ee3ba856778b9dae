#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "search/space/domains.h"

/// Counts candidates without enumerating them. Subtrees that differ only in axes which no later domain reads have
/// equal counts and are counted once.
namespace opledger {

/// Largest number of candidates of a space; one more still fits 64 bits.
inline constexpr std::uint64_t kMaxCandidates = std::uint64_t{1} << 63;

/// A memoizing counter of the candidates of a space.
class Counter {
 public:
  /// Both arguments must outlive the counter.
  Counter(Space& space, Domains& domains);

  /// Returns the number of candidates, before constraints, with fixed values of the axes before `axis`. `values`: one
  /// per axis, restored on return except after an error. Counts above `most` may return any number above `most`.
  /// Returns nothing, with errors, if a domain can't be computed.
  std::optional<std::uint64_t> count(std::size_t axis, std::vector<double>& values, std::uint64_t most, Diagnostics& diagnostics);

  /// Returns the number of domains computed so far, the unit of cost of counting.
  std::uint64_t steps() const { return steps_; }
  /// Limit of `steps`. A count beyond the limit is given up and meaningless; compare `steps` with the limit.
  std::uint64_t max_steps = ~std::uint64_t{0};

 private:
  /// Computes `count` without the memo for `axis` itself: the sum over the values of `axis`.
  std::optional<std::uint64_t> over(std::size_t axis, std::vector<double>& values, std::uint64_t most, Diagnostics& diagnostics);

  Space& space_;
  Domains& domains_;
  std::vector<AxisSet> read_;  ///< Earlier axes that the domain of an axis and all later domains read, by axis.
  /// Memoized counts by axis; the key is the limit and the values of the axes in `read_`.
  std::vector<std::map<std::pair<std::uint64_t, std::vector<double>>, std::uint64_t>> known_;
  std::uint64_t steps_ = 0;  ///< Number of domains computed so far.
};

}  // namespace opledger
