#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "search/space/candidate_range.h"
#include "search/space/counter.h"

/// Cuts a space into ranges of consecutive candidates, each of limited size. Results are merged by range, processes
/// share a search by range, and a stored search continues after its last complete range. The cuts depend on the space
/// and on the limits alone.
namespace opledger {

/// A generator of the ranges of a space, in order.
class CandidateRanges {
 public:
  explicit CandidateRanges(Space& space);

  /// Limits the candidates of a range. Must be called before `next`; the default is one range for the whole space.
  void limit_candidates(std::uint64_t most) { most_ = most; }

  /// Keeps candidates that agree on all axes before `axis` in one range, even beyond the limit. A stopping axis needs
  /// this, because the results for its values depend on each other.
  void keep_together_before(std::size_t axis) { whole_ = axis; }

  /// Returns the next range. Returns nothing at the end, or with errors if a domain can't be computed.
  std::optional<CandidateRange> next(Diagnostics& diagnostics);

  std::uint64_t produced() const { return produced_; }  ///< Number of ranges returned so far.

  /// Returns the number of candidates, or 0 if counting takes too long. Returns nothing, with errors, above
  /// kMaxCandidates or if a domain can't be computed.
  std::optional<std::uint64_t> total(Diagnostics& diagnostics);

  /// Reports why the space has no candidates: names the first axis that never had a value, if any. Call it after the
  /// walk.
  void report_why_empty(Diagnostics& diagnostics) const;

 private:
  /// Returns why the `where` of an axis refuses a value, for messages.
  std::string why_refused(const SpaceAxis& axis, const std::vector<double>& values) const;

  /// The domain of one axis and the position of the next value to visit.
  struct Level {
    std::vector<double> domain;  ///< Values of the axis.
    std::size_t at = 0;          ///< Index of the next value.
  };

  /// Pushes a level with the domain of the next axis. Returns false, with errors, if it can't be computed.
  bool descend(Diagnostics& diagnostics);
  /// Returns the number of candidates with `value` of the last level's axis; any number above `most` if there are more.
  std::optional<std::uint64_t> count_with(double value, std::uint64_t most, Diagnostics& diagnostics);
  /// Returns the range of the values [from, to) of the last level's axis.
  CandidateRange cut(std::size_t from, std::size_t to, std::uint64_t candidates);

  Space& space_;
  std::uint64_t most_ = kMaxCandidates, produced_ = 0;  ///< Limit of candidates in a range; number of ranges so far.
  std::size_t whole_ = kMaxSpaceAxes;                   ///< First axis of `keep_together_before`; ranges never split on it or later axes.
  std::vector<double> values_;                          ///< Values of the fixed axes; any value for later axes.
  Domains domains_;
  Counter counter_;
  std::vector<Level> levels_;  ///< The stack of the depth-first walk: one level for each fixed axis, and one for the next axis.
  bool started_ = false;       ///< `next` was called, so `levels_` is in use.
};

}  // namespace opledger
