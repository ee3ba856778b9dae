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
#include "search/sweep/division.h"
#include "search/sweep/partition_group.h"

/// Makes parts of the pieces of a stretch: pieces that wait at the same time are variants if their candidates choose the same values of the same axes.
namespace opledger {

class GroupBuilder {
 public:
  using Take = FunctionRef<bool(PartitionGroup)>;

  GroupBuilder(const Space& space, const FreeAxes& free, const Stops& stops, Assignment& assignment, Diagnostics& diagnostics)
      : space_(space), free_(free), stops_(stops), assignment_(assignment), diagnostics_(diagnostics) {}

  /// Pieces of this stretch are to come. `stop`: the axis that is looked at, then no metric is wanted; else the first so many. `values`: by axis, all that it
  /// has in the space; null: not known.
  void begin(std::shared_ptr<const Stretch> stretch, std::optional<std::size_t> stop, std::size_t metrics,
             const std::vector<const std::vector<double>*>& values);
  /// Gives the group that has waited longest, if there are too many. False: `take` gave that, or, with errors, something can't be made.
  bool add(Piece piece, Take take);
  /// No pieces are to come.
  bool finish(Take take);

 private:
  /// What variants have in common.
  struct SharedTraits {
    AxisSet known = 0, fixed = 0;
    std::vector<std::pair<std::size_t, double>> decided;  ///< Values of fixed axes that decide those of others, and of known ones.
    std::map<AxisSet, std::vector<bool>> filters;         ///< What the region leaves of axes that are not fixed.
    bool operator==(const SharedTraits&) const = default;
  };
  /// What a plan is for: the structures; what is fixed; which variants have the same value of a fixed axis; which axes stop and are settled; which are filtered
  /// together.
  using PlanKey = std::tuple<std::vector<const GuardedTrace*>, AxisSet, std::vector<std::size_t>, AxisSet, std::vector<AxisSet>>;

  /// A group in the making.
  struct OpenGroup {
    SharedTraits traits;
    PartitionGroup group;
    std::size_t instructions = 0;  ///< Of its variants' tapes.
  };

  SharedTraits traits(const Piece& piece, AxisSet fixed) const;
  PlanKey key(const OpenGroup& open) const;
  std::shared_ptr<LazyPlan> plan(const OpenGroup& open);
  GroupSamples samples(AxisSet known);
  std::size_t waiting() const;
  bool close(Take take);
  std::vector<double> admitted(std::size_t axis, AxisSet known);

  const Space& space_;
  const FreeAxes& free_;
  const Stops& stops_;
  Assignment& assignment_;
  Diagnostics& diagnostics_;
  std::shared_ptr<const Stretch> stretch_;
  std::optional<std::size_t> stop_;
  std::size_t metrics_ = 0;
  const std::vector<const std::vector<double>*>* values_ = nullptr;
  std::deque<OpenGroup> open_;  ///< The oldest first.
  std::map<PlanKey, std::shared_ptr<LazyPlan>> plans_;
  std::set<const GuardedTrace*> traces_;
  bool separate_ = false;   ///< Structures have no variants any more: which of them do changes too often for plans that are for several.
  std::mt19937_64 random_;  ///< The same in every run.
};

}  // namespace opledger
