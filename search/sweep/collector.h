#pragma once
#include <array>
#include <vector>

#include "search/sweep/lanes.h"
#include "search/sweep/part.h"
#include "search/sweep/prefixes.h"

/// Keeps what is feasible of a part: adds it up, and puts it among the best, on the front, or in the list of all.
namespace opledger {

/// What a part's thread evaluates it with.
struct PartTools {
  const Space& space;
  const FreeAxes& free;
  const SweepRequest& request;
  Assignment& assignment;
  Diagnostics& diagnostics;
};

class Collector {
 public:
  /// `lanes`: by level.
  Collector(const PartTools& tools, const Part& part, LevelKernel::Frame& frame, const Prefixes& prefixes, const std::vector<Lanes>& lanes, PartResult& to);

  /// What is feasible in so many lanes of the last level; where no axis has several values, in a single one.
  void keep(const Lanes& last, std::size_t count);
  /// Nothing is to come.
  void finish() { keep_each_once(); }

 private:
  const double* metric(std::size_t sibling, std::size_t m, std::size_t count);
  void keep_own(std::size_t sibling, std::size_t count);
  void keep_stop(std::size_t sibling);
  void keep_each_once();
  void keep_best(std::size_t sibling, std::size_t count);
  bool any_reaches(const double* scores, double bar) const;
  void keep_front(std::size_t sibling, std::size_t count);
  void keep_all(std::size_t sibling, std::size_t count);
  void add_ranks(std::size_t sibling, std::size_t lane);
  template <class Visit>
  void each_level(std::size_t lane, const Visit& visit);
  std::vector<double> values_of(std::size_t sibling, std::size_t lane);

  const PartTools& tools_;
  const Part& part_;
  const Plan& plan_;
  LevelKernel::Frame& frame_;
  const Prefixes& prefixes_;
  const std::vector<Lanes>& lanes_;
  PartResult& to_;
  LaneList own_;  ///< Lanes where a sibling is feasible.
  std::array<double, lanes_for(kLanes)> spread_{};
  std::vector<double> points_;
  std::vector<std::uint32_t> by_axis_;
  std::vector<std::size_t> follows_;  ///< Derived axes.
  std::size_t once_ = 0;              ///< Of what is kept of an axis that stops, so many are each there once.
};

}  // namespace opledger
