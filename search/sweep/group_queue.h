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

/// A queue of partition groups. Threads evaluate groups in any order while the main thread builds more. Results are merged
/// in the order of the queue, so the answer does not depend on the number of threads.
namespace opledger {

/// A queue with its threads. The main thread adds groups; `run` waits until they are evaluated and merged.
class GroupQueue {
 public:
  /// `outputs`: names of the metrics that a plan evaluates; metrics of listed candidates come last.
  GroupQueue(Space& space, const FreeAxes& free, Stops& stops, const SweepRequest& request, std::vector<std::string> outputs, Assembly& assembly);
  ~GroupQueue();

  /// Adds a group; groups must come range by range. A full queue is run first. A caller must run the queue between groups
  /// of a stop search and groups that depend on its result. Returns false, with errors or after an interruption, if the
  /// sweep must end.
  bool add(PartitionGroup group, Diagnostics& diagnostics);
  /// Waits for all groups and merges their results. After an interruption, merges the groups before the first incomplete
  /// one and returns true. Returns false, with errors, if a group or the merge failed.
  bool run(Diagnostics& diagnostics);

  std::uint64_t total = 0;  ///< Candidates of the space, for progress; 0 if unknown.

 private:
  /// A group in the queue, with one result for each share.
  struct Waiting {
    explicit Waiting(PartitionGroup of) : group(std::move(of)) {}

    /// The outcome of one share; no result before the evaluation, after an interruption or with errors.
    struct Share {
      Diagnostics diagnostics;
      std::optional<GroupResult> result;
    };
    /// Returns whether every share has a result.
    bool evaluated() const { return left.load(std::memory_order_acquire) == 0; }

    PartitionGroup group;              ///< The group to evaluate.
    std::vector<Share> shares;         ///< Results by share; empty until the plan is made.
    std::atomic<std::size_t> left{1};  ///< Shares without a result.
  };

  /// Divides a group into shares, starts a task for each further share, and evaluates the first share.
  void evaluate(Waiting& waiting);
  /// Evaluates one share of a group on the current thread.
  void evaluate(Waiting& waiting, std::size_t share);
  /// Returns whether the queue must be run before `next` is added.
  bool full(const PartitionGroup& next) const;
  /// Merges the results of the groups in the order of the queue, up to the first group without all results.
  bool assemble(Diagnostics& diagnostics);
  /// Passes the progress to `request.watch`.
  void report_progress();
  /// Returns whether required metrics have values for the feasible candidates of a result; reports a missing value.
  bool has_metrics(const PartitionGroup& group, const GroupResult& result, Diagnostics& diagnostics) const;

  Space& space_;
  const FreeAxes& free_;
  Stops& stops_;
  const SweepRequest& request_;
  std::vector<std::string> outputs_;  ///< Names of the metrics that a plan evaluates.
  Assembly& assembly_;
  struct Threads;
  std::deque<Waiting> waiting_;             ///< Groups in order; a deque, because threads refer to entries.
  std::size_t evaluated_ = 0;               ///< Number of leading groups that are evaluated, for progress.
  std::uint64_t evaluated_candidates_ = 0;  ///< Candidates of the evaluated groups.
  std::unique_ptr<Threads> threads_;        ///< Last member: tasks end before `waiting_` is destroyed.
};

}  // namespace opledger
