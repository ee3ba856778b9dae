#pragma once
#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "search/sweep/assembly.h"
#include "search/sweep/partition_group.h"

/// Parts of stretches that wait to be evaluated: on all processors, in any order, while more of them are made, and put together in theirs, so that nothing
/// depends on how many are at work.
namespace opledger {

class GroupQueue {
 public:
  /// `outputs`: names of the metrics of a plan, those that the request wants of every feasible candidate last.
  GroupQueue(Space& space, const FreeAxes& free, Stops& stops, const SweepRequest& request, std::vector<std::string> outputs, Assembly& assembly);
  ~GroupQueue();

  /// Parts come stretch by stretch; those that look at an axis that stops are evaluated before others come. False, with errors, or because the search was
  /// stopped: there is nothing more to do.
  bool add(PartitionGroup group, Diagnostics& diagnostics);
  /// Until all that wait are evaluated.
  bool run(Diagnostics& diagnostics);

  std::uint64_t total = 0;  ///< Candidates of the space, for those who watch.

 private:
  struct Waiting {
    explicit Waiting(PartitionGroup of) : group(std::move(of)) {}

    struct Share {
      Diagnostics diagnostics;
      std::optional<GroupResult> result;
    };
    bool evaluated() const { return left.load(std::memory_order_acquire) == 0; }

    PartitionGroup group;
    std::vector<Share> shares;
    std::atomic<std::size_t> left{1};  ///< Shares that are not evaluated.
  };

  void evaluate(Waiting& waiting);
  void evaluate(Waiting& waiting, std::size_t share);
  bool full(const PartitionGroup& next) const;
  bool assemble(Diagnostics& diagnostics);
  void report_progress();
  bool has_metrics(const PartitionGroup& group, const GroupResult& result, Diagnostics& diagnostics) const;

  Space& space_;
  const FreeAxes& free_;
  Stops& stops_;
  const SweepRequest& request_;
  std::vector<std::string> outputs_;
  Assembly& assembly_;
  struct Threads;
  std::deque<Waiting> waiting_;
  std::size_t evaluated_ = 0;               ///< So many of them, the first, are known to be evaluated:
  std::uint64_t evaluated_candidates_ = 0;  ///< their candidates.
  std::unique_ptr<Threads> threads_;        ///< Ends before those that wait.
};

}  // namespace opledger
