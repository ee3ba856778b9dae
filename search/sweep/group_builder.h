#pragma once
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "base/function_ref.h"
#include "search/sweep/partition_group.h"
#include "search/sweep/partitioner.h"

/// A builder of partition groups. Partitions of a candidate range become variants of one group if their candidates choose
/// the same values of the same axes. One plan then evaluates all variants, so they share prefixes and instructions.
namespace opledger {

/// A builder with a bounded number of open groups; the oldest group is emitted first. Plans are cached and reused by
/// groups with an equal PlanKey.
class GroupBuilder {
 public:
  /// A receiver of finished groups; returns false to end the search.
  using Take = FunctionRef<bool(PartitionGroup)>;

  GroupBuilder(const Space& space, const FreeAxes& free, const Stops& stops, Assignment& assignment, Diagnostics& diagnostics)
      : space_(space), free_(free), stops_(stops), assignment_(assignment), diagnostics_(diagnostics) {}

  /// Starts a candidate range, without open groups. `stop`: the axis under examination by a stop search, which needs no
  /// metrics. `metrics`: number of leading query outputs to evaluate. `values`: for each axis, all its values in the
  /// space; null if unknown. `values` must outlive the groups.
  void begin(std::shared_ptr<const CandidateRange> range, std::optional<std::size_t> stop, std::size_t metrics,
             const std::vector<const std::vector<double>*>& values);
  /// Adds a partition. Passes the oldest open group to `take` if the partition needs a new group, and too many groups
  /// or variants are open. Returns false if `take` does, or, with errors, if a domain can't be evaluated.
  bool add(Partition partition, Take take);
  /// Passes all open groups to `take`. Fails like `add`.
  bool finish(Take take);

 private:
  /// The properties that all variants of a group share.
  struct SharedTraits {
    AxisSet known = 0, fixed = 0;                         ///< Axes assigned by the partitioner; axes with one value in the partition, `known` included.
    std::vector<std::pair<std::size_t, double>> decided;  ///< Values of fixed axes that decide domains of other axes, and of known axes.
    std::map<AxisSet, std::vector<bool>> filters;         ///< Combinations that the region admits, by the axes of each filter.
    bool operator==(const SharedTraits&) const = default;
  };
  /// The properties that a plan depends on, in order. They are the traces; the fixed axes; the first variant with an
  /// equal value, by fixed axis and variant; the axes with known stops; the axes of each filter.
  using PlanKey = std::tuple<std::vector<const GuardedTrace*>, AxisSet, std::vector<std::size_t>, AxisSet, std::vector<AxisSet>>;

  /// A group that still accepts variants.
  struct OpenGroup {
    SharedTraits traits;           ///< Traits that a further partition must have.
    PartitionGroup group;          ///< The variants so far; the plan is set when the group is closed.
    std::size_t instructions = 0;  ///< Number of instructions on the tapes of the variants.
  };

  /// Returns the traits of a partition with the given fixed axes.
  SharedTraits traits(const Partition& partition, AxisSet fixed) const;
  /// Returns the key under which the plan of a group is cached.
  PlanKey key(const OpenGroup& open) const;
  /// Returns the plan of a group, new or from the cache.
  std::shared_ptr<LazyPlan> plan(const OpenGroup& open);
  /// Draws random candidates of the region that `assignment_` has entered. `known`: axes with a value.
  GroupSamples samples(AxisSet known);
  /// Returns the number of variants in open groups.
  std::size_t waiting() const;
  /// Passes the oldest open group to `take`, with its plan.
  bool close(Take take);
  /// Returns the values of an axis that the region admits, for the current values of the axes in `known`.
  std::vector<double> admitted(std::size_t axis, AxisSet known);

  const Space& space_;
  const FreeAxes& free_;
  const Stops& stops_;
  Assignment& assignment_;
  Diagnostics& diagnostics_;
  std::shared_ptr<const CandidateRange> range_;                      ///< Current candidate range.
  std::optional<std::size_t> stop_;                                  ///< Argument of `begin`.
  std::size_t metrics_ = 0;                                          ///< Number of metrics to evaluate; 0 in a stop search.
  const std::vector<const std::vector<double>*>* values_ = nullptr;  ///< Argument of `begin`.
  std::deque<OpenGroup> open_;                                       ///< Oldest first.
  std::map<PlanKey, std::shared_ptr<LazyPlan>> plans_;               ///< Cache of plans.
  std::set<const GuardedTrace*> traces_;                             ///< Traces of the plans, to compare numbers of plans and traces.
  bool separate_ = false;   ///< Every group has one variant from now on: combinations of traces vary too much to reuse plans.
  std::mt19937_64 random_;  ///< Default seed, so every run draws the same samples.
};

}  // namespace opledger
