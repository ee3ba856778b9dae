#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "search/sweep/candidate_rows.h"
#include "search/sweep/plan.h"
#include "search/sweep/sweep_request.h"
#include "search/sweep/tally.h"

/// A partition group, the unit of parallel evaluation: variants that one plan evaluates level by level.
namespace opledger {

/// Partitions whose candidates choose the same values of the same axes; each partition is a variant.
struct PartitionGroup {
  std::shared_ptr<LazyPlan> plan;               ///< Plan for all variants, shared with groups of an equal plan key (GroupBuilder).
  std::shared_ptr<const CandidateRange> range;  ///< The candidate range that the group belongs to.
  Region region;                                ///< Region of the first variant. Regions of all variants admit the same values of axes that are not fixed.
  std::vector<Variant> variants;                ///< Variants of the plan, with the values of fixed axes.
  AxisSet fixed = 0;                            ///< Axes with one value in each variant.
  std::optional<std::size_t> stop;              ///< Axis under examination by a stop search: only the values with a feasible candidate are collected.
};

/// The results of one share of a group. A large group is divided into shares for several threads.
struct GroupResult {
  std::uint64_t candidates = 0;                     ///< Number of feasible and refused candidates; without feasible ones in a stop search.
  std::vector<std::uint64_t> feasible;              ///< Number of feasible candidates of each variant.
  std::vector<std::vector<std::uint64_t>> refused;  ///< Number of refused candidates by variant and first failing check.
  std::vector<std::vector<double>> examples;        ///< Axis values of one feasible candidate of each variant; empty if none is feasible.
  std::vector<ExactSum> sums;                       ///< Sums of requested metrics over feasible candidates.
  std::vector<ScoredCandidate> best;                ///< Best first; equal scores in the order of the space.
  Front front;                                      ///< Pareto front of the feasible candidates.
  CandidateRows rows;                               ///< All feasible candidates, if the request lists them.
  std::vector<Stops::Key> stop_keys;                ///< Keys of value combinations with a feasible candidate, for a stop search.
};

/// An evaluator of groups. Each thread has its own runner, which reuses domains between groups.
class GroupRunner {
 public:
  /// All arguments must outlive the runner.
  GroupRunner(Space& space, const FreeAxes& free, const Stops& stops, const SweepRequest& request);
  ~GroupRunner();

  /// Evaluates the candidates of one share of a group; `Plan::shares` has the number of shares. Returns nothing if the
  /// sweep was interrupted, or, with errors, if a domain can't be evaluated.
  std::optional<GroupResult> run(const PartitionGroup& group, std::size_t share, Diagnostics& diagnostics);

 private:
  class Evaluation;

  Space& space_;
  const FreeAxes& free_;
  const Stops& stops_;
  const SweepRequest& request_;
  Assignment assignment_;
};

}  // namespace opledger
