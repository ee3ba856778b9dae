#pragma once
#include <memory>
#include <string>
#include <vector>

#include "search/sweep/partition_group.h"

/// Puts parts together to stretches, and stretches to what a search has found.
namespace opledger {

/// Nothing found yet.
Tally empty_tally(const SweepRequest& request);

class Assembly {
 public:
  Assembly(const Space& space, const SweepRequest& request, Assignment& order, Tally& all);

  /// Parts of this stretch are to come, or none.
  bool begin(const std::shared_ptr<const Stretch>& stretch, Diagnostics& diagnostics);
  /// Parts come stretch by stretch. False, with an error, if what was found can't be written down.
  bool add(const PartitionGroup& group, std::vector<GroupResult>&& shares, Diagnostics& diagnostics);
  /// A whole stretch that was put together elsewhere; after those before it.
  bool accept(const Stretch& stretch, Tally tally, const FoundRows& rows, Diagnostics& diagnostics);
  /// No parts of the last stretch are to come. One that isn't complete counts, but where what is found is written down: of it nothing is.
  bool finish(Diagnostics& diagnostics);
  /// What was found so far, in whole stretches and in the last one.
  SweepStatus status() const;
  std::size_t groups() const { return groups_; }

 private:
  void add_share(const PartitionGroup& group, GroupResult&& found, Diagnostics& diagnostics);
  bool close(Diagnostics& diagnostics);

  const SweepRequest& request_;
  Ranking ranking_;
  Assignment& order_;
  Tally& all_;
  bool stops_;  ///< Some axis does: a stretch may have fewer candidates.
  std::shared_ptr<const Stretch> stretch_;
  Tally range_tally_;
  FoundRows rows_;
  std::size_t groups_ = 0;
};

}  // namespace opledger
