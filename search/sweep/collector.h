#pragma once
#include <array>
#include <vector>

#include "search/sweep/lanes.h"
#include "search/sweep/partition_group.h"
#include "search/sweep/prefixes.h"

/// Keeps what is feasible of a group: adds it up, and puts it among the best, on the front, or in the list of all.
namespace opledger {

/// What a group's thread evaluates it with.
struct GroupContext {
  const Space& space;
  const FreeAxes& free;
  const SweepRequest& request;
  Assignment& assignment;
  Diagnostics& diagnostics;
};

class Collector {
 public:
  /// `lanes`: by level.
  Collector(const GroupContext& context, const PartitionGroup& group, LevelKernel::Frame& frame, const Prefixes& prefixes, const std::vector<Lanes>& lanes,
            GroupResult& result);

  /// What is feasible in so many lanes of the last level; where no axis has several values, in a single one.
  void keep(const Lanes& last, std::size_t count);
  /// Nothing is to come.
  void finish() { remove_duplicate_keys(); }

 private:
  const double* metric(std::size_t variant, std::size_t m, std::size_t count);
  void keep_feasible(std::size_t variant, std::size_t count);
  void keep_stop_keys(std::size_t variant);
  void remove_duplicate_keys();
  void keep_best(std::size_t variant, std::size_t count);
  bool any_reaches(const double* scores, double bar) const;
  void keep_front(std::size_t variant, std::size_t count);
  void keep_all(std::size_t variant, std::size_t count);
  void add_ranks(std::size_t variant, std::size_t lane);
  template <class Visit>
  void each_level(std::size_t lane, const Visit& visit);
  std::vector<double> values_of(std::size_t variant, std::size_t lane);

  const GroupContext& context_;
  const PartitionGroup& group_;
  const Plan& plan_;
  LevelKernel::Frame& frame_;
  const Prefixes& prefixes_;
  const std::vector<Lanes>& lanes_;
  GroupResult& result_;
  LaneList feasible_;  ///< Lanes where a variant is feasible.
  std::array<double, lanes_for(kLanes)> packed_{};
  std::vector<double> points_;
  std::vector<std::uint32_t> ranks_by_axis_;
  std::vector<std::size_t> derived_axes_;  ///< Derived axes.
  std::size_t unique_keys_ = 0;            ///< Of what is kept of an axis that stops, so many are each there once.
};

}  // namespace opledger
