#pragma once
#include <memory>
#include <string>
#include <vector>

#include "search/sweep/partition_group.h"

/// Merges results of partition groups into tallies of candidate ranges, and tallies of ranges into the tally of a sweep.
/// A candidate range is a run of consecutive candidates; a partition group is a part of a range that one plan evaluates.
/// Groups finish in any order on many threads; an Assembly receives them on one thread, range by range in the order of
/// the space.
namespace opledger {

/// Returns a tally without candidates, with one sum for each requested sum and an empty front.
Tally empty_tally(const SweepRequest& request);

/// A merger of results that reports each complete candidate range to `request.rows`.
class Assembly {
 public:
  /// `all`: receives the tally of the sweep; it starts with `request.before`. `order`: compares candidates by the order
  /// of the space.
  Assembly(const Space& space, const SweepRequest& request, Assignment& order, Tally& all);

  /// Starts a candidate range and closes the previous range; does nothing if `range` is the current range. A range
  /// without groups is allowed. False, with an error, as for `add`.
  bool begin(const std::shared_ptr<const CandidateRange>& range, Diagnostics& diagnostics);
  /// Adds the results of a group, one for each share: a large group is divided into shares for several threads
  /// (`Plan::shares`). Groups must come range by range. False, with an error, if rows can't be written or two candidates
  /// can't be ordered.
  bool add(const PartitionGroup& group, std::vector<GroupResult>&& shares, Diagnostics& diagnostics);
  /// Adds a complete candidate range with a finished tally, such as that of another process, and reports the range with
  /// `rows`, its listed candidates. Ranges must come in order. False, with an error, as for `add`.
  bool accept(const CandidateRange& range, Tally tally, const CandidateRows& rows, Diagnostics& diagnostics);
  /// Closes the last range. An incomplete range counts in the tally, unless rows are listed: then a resumed search
  /// repeats the whole range. False, with an error, as for `add`.
  bool finish(Diagnostics& diagnostics);
  /// Returns the progress: candidates so far, skipped ones included, and the best score. `total` is 0.
  SweepStatus status() const;
  /// Returns the number of groups so far.
  std::size_t groups() const { return groups_; }

 private:
  /// Adds the result of one share to the tally and the rows of the current range.
  void add_share(const PartitionGroup& group, GroupResult&& found, Diagnostics& diagnostics);
  /// Ends the current range, if any: reports a complete range and adds its tally to the total.
  bool close(Diagnostics& diagnostics);

  const SweepRequest& request_;
  Ranking ranking_;                              ///< Length and direction of the list of best candidates.
  Assignment& order_;                            ///< Compares candidates with equal scores.
  Tally& all_;                                   ///< Tally of all ranges so far.
  bool stops_;                                   ///< An axis has `stops`, so a complete range may have fewer results than candidates.
  std::shared_ptr<const CandidateRange> range_;  ///< The current range; null between ranges.
  Tally range_tally_;                            ///< Tally of the current range.
  CandidateRows rows_;                           ///< Rows of the current range.
  std::size_t groups_ = 0;
};

}  // namespace opledger
