#pragma once
#include <array>
#include <vector>

#include "search/sweep/lanes.h"
#include "search/sweep/partition_group.h"
#include "search/sweep/prefixes.h"

/// Collection of the feasible candidates of a partition group. Metrics are added to sums; candidates are kept if among
/// the best, on the front, or listed.
namespace opledger {

/// The objects of one thread that evaluate a group.
struct GroupContext {
  const Space& space;           ///< The searched space.
  const FreeAxes& free;         ///< Its free axes.
  const SweepRequest& request;  ///< The requested results.
  Assignment& assignment;       ///< Domains of axes, for derived values and the order of candidates; used by one thread.
  Diagnostics& diagnostics;     ///< Receives errors of domains.
};

/// A collector for one share of a group. Its metrics are results of the group's kernel at the last level.
class Collector {
 public:
  /// `lanes`: one entry per level of the plan. `result`: receives counts, sums, best candidates, front and rows.
  Collector(const GroupContext& context, const PartitionGroup& group, LevelKernel::Frame& frame, const Prefixes& prefixes, const std::vector<Lanes>& lanes,
            GroupResult& result);

  /// Keeps the feasible candidates among the first `count` lanes of the last level. A plan without levels has one lane.
  void keep(const Lanes& last, std::size_t count);
  /// Ends the collection by removing duplicate stop keys.
  void finish() { remove_duplicate_keys(); }

 private:
  // Functions of one variant read its feasible lanes from `feasible_`; `count` is the number of all lanes.

  /// Returns metric `m` of the feasible lanes, without gaps; valid until the next call.
  const double* metric(std::size_t variant, std::size_t m, std::size_t count);
  /// Adds the feasible lanes to all requested results, by the functions below; in a stop search to the stop keys only.
  void keep_feasible(std::size_t variant, std::size_t count);
  /// Adds the hashes of the feasible prefixes, for a stop search.
  void keep_stop_keys(std::size_t variant);
  /// Sorts the hashes so far and removes duplicates.
  void remove_duplicate_keys();
  /// Adds the feasible lanes with a good score to the list of best candidates.
  void keep_best(std::size_t variant, std::size_t count);
  /// Returns whether a score is at least as good as `bar`.
  bool any_reaches(const double* scores, double bar) const;
  /// Adds the feasible lanes to the Pareto front.
  void keep_front(std::size_t variant, std::size_t count);
  /// Appends all feasible lanes to the listed rows.
  void keep_all(std::size_t variant, std::size_t count);
  /// Appends to the rows the position of each axis value in its domain.
  void add_ranks(std::size_t variant, std::size_t lane);
  /// Calls `visit(level, lane)` for a lane of the last level and for its ancestors.
  template <class Visit>
  void each_level(std::size_t lane, const Visit& visit);
  /// Returns the axis values of a lane, one per axis.
  std::vector<double> values_of(std::size_t variant, std::size_t lane);

  const GroupContext& context_;
  const PartitionGroup& group_;
  const Plan& plan_;
  LevelKernel::Frame& frame_;
  const Prefixes& prefixes_;
  const std::vector<Lanes>& lanes_;
  GroupResult& result_;
  LaneList feasible_;                               ///< Feasible lanes of the current variant.
  std::array<double, lanes_for(kLanes)> packed_{};  ///< One metric of the feasible lanes, without gaps.
  std::vector<double> points_;                      ///< Front metrics of the feasible lanes, lane by lane.
  std::vector<std::uint32_t> ranks_by_axis_;        ///< Ranks of one lane; scratch of `add_ranks`.
  std::vector<std::size_t> derived_axes_;           ///< Derived axes that are not fixed.
  std::size_t unique_keys_ = 0;                     ///< Number of stop keys after the last removal of duplicates.
};

}  // namespace opledger
