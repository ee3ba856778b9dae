#include "search/sweep/group_queue.h"

#include <fmt/core.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/task_group.h>

#include <thread>
#include <utility>

#include "search/sweep/missing_value.h"

namespace opledger {
namespace {

// Limits of the queue: groups, and candidate ranges from the first group to the last.
constexpr std::size_t kMaxWaiting = 1024;
constexpr std::uint64_t kMaxRangesWaiting = 16;

}  // namespace

/// The tasks, and one runner for each thread.
struct GroupQueue::Threads {
  ~Threads() {
    tasks.cancel();
    tasks.wait();
  }

  tbb::enumerable_thread_specific<std::unique_ptr<GroupRunner>> runners;
  tbb::task_group tasks;
};

GroupQueue::GroupQueue(Space& space, const FreeAxes& free, Stops& stops, const SweepRequest& request, std::vector<std::string> outputs, Assembly& assembly)
    : space_(space), free_(free), stops_(stops), request_(request), outputs_(std::move(outputs)), assembly_(assembly), threads_(std::make_unique<Threads>()) {}

GroupQueue::~GroupQueue() = default;

/// Returns whether the queue must be run before `next`: its length and its span of candidate ranges are limited.
bool GroupQueue::full(const PartitionGroup& next) const {
  return waiting_.size() >= kMaxWaiting || (!waiting_.empty() && next.range->number - waiting_.front().group.range->number >= kMaxRangesWaiting);
}

bool GroupQueue::add(PartitionGroup group, Diagnostics& diagnostics) {
  if (full(group) && !run(diagnostics)) return false;
  report_progress();
  if (request_.stopped()) return false;
  Waiting& waiting = waiting_.emplace_back(std::move(group));
  threads_->tasks.run([this, &waiting, main = std::this_thread::get_id()] {
    evaluate(waiting);
    if (std::this_thread::get_id() == main) report_progress();
  });
  return true;
}

/// Makes the plan of a group if it is not made yet. Spawns one task for each further share and evaluates the first
/// share itself.
void GroupQueue::evaluate(Waiting& waiting) {
  if (request_.stopped()) return;
  const std::size_t shares = waiting.group.plan->get().shares().count;
  waiting.left = shares;
  waiting.shares.resize(shares);
  for (std::size_t share = 1; share < shares; ++share) threads_->tasks.run([this, &waiting, share] { evaluate(waiting, share); });
  evaluate(waiting, 0);
}

/// Evaluates one share with the runner of the current thread.
void GroupQueue::evaluate(Waiting& waiting, std::size_t share) {
  if (request_.stopped()) return;
  std::unique_ptr<GroupRunner>& runner = threads_->runners.local();
  if (runner == nullptr) runner = std::make_unique<GroupRunner>(space_, free_, stops_, request_);
  Waiting::Share& own = waiting.shares[share];
  own.result = runner->run(waiting.group, share, own.diagnostics);
  if (own.result) waiting.left.fetch_sub(1, std::memory_order_release);
}

/// Reports the progress. It counts groups up to the first one that is not evaluated, because an interruption keeps only
/// a complete beginning. Called on the main thread only.
void GroupQueue::report_progress() {
  if (!request_.watch) return;
  for (; evaluated_ < waiting_.size() && waiting_[evaluated_].evaluated(); ++evaluated_) {
    for (const Waiting::Share& share : waiting_[evaluated_].shares) evaluated_candidates_ += waiting_[evaluated_].group.stop ? 0 : share.result->candidates;
  }
  SweepStatus status = assembly_.status();
  status.done += evaluated_candidates_;
  status.total = total;
  request_.watch(status);
}

bool GroupQueue::run(Diagnostics& diagnostics) {
  threads_->tasks.wait();
  const bool good = assemble(diagnostics);
  waiting_.clear();
  evaluated_ = 0;
  evaluated_candidates_ = 0;
  return good;
}

/// Merges the results of all groups in the order of the queue, after the tasks have ended; the answer therefore does
/// not depend on the number of threads. `waiting_` has the groups, each with one result per share of its candidates. A
/// share without a result was interrupted or failed. The loop ends at the first such group: later groups are dropped,
/// so an interrupted search has a complete beginning and can be resumed after it. Results of a stop search are feasible
/// prefixes, which `stops_` collects. Other results go to the assembly. Returns false after an error, true after
/// an interruption; errors of a share are in its diagnostics.
bool GroupQueue::assemble(Diagnostics& diagnostics) {
  for (Waiting& waiting : waiting_) {
    const PartitionGroup& group = waiting.group;
    std::vector<GroupResult> results;
    for (Waiting::Share& share : waiting.shares) {
      diagnostics.append(std::move(share.diagnostics));
      if (share.result) results.push_back(std::move(*share.result));
    }
    if (!waiting.evaluated()) return request_.stopped();
    for (const GroupResult& result : results) {
      if (group.stop)
        stops_.add(result.stop_keys);
      else if (!has_metrics(group, result, diagnostics))
        return false;
    }
    if (!group.stop && !assembly_.add(group, std::move(results), diagnostics)) return false;
  }
  return true;
}

/// Checks that required metrics have values for feasible candidates. A trace is recorded on one candidate. If this
/// candidate is refused, the trace may lack a metric that feasible candidates of the same trace need; the kernel would
/// return 0. The metrics of listed rows come last in `outputs_` and may lack values. A word or a list can't be added up
/// or compared, which is an error as well. Returns false after an error, which names an example.
bool GroupQueue::has_metrics(const PartitionGroup& group, const GroupResult& result, Diagnostics& diagnostics) const {
  const std::size_t listed = outputs_.size() - request_.metrics.size();
  for (std::size_t s = 0; s < group.variants.size(); ++s) {
    for (std::size_t m = 0; m < outputs_.size() && result.feasible[s] > 0; ++m) {
      const Value::Kind kind = group.variants[s].trace->trace.metrics[m].kind;
      if (kind == Value::Kind::number || kind == Value::Kind::truth || (m >= listed && kind == Value::Kind::nothing)) continue;
      if (kind == Value::Kind::nothing)
        report_missing_value(space_, outputs_[m], result.examples[s], diagnostics);
      else
        diagnostics.error({}, fmt::format("`{}` is no number: it can't be compared, added up or listed", outputs_[m]));
      return false;
    }
  }
  return true;
}

}  // namespace opledger
