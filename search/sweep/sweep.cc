#include "search/sweep/sweep.h"

#include <fmt/core.h>
#include <pthread.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include "search/space/candidate_ranges.h"
#include "search/sweep/group_builder.h"
#include "search/sweep/group_queue.h"

/// A sweep is a pipeline over candidate ranges, in the order of the space. A range is partitioned by trace, and
/// partitions are grouped into variants with one plan. Threads evaluate the groups, and results are merged in order. If
/// an axis stops early, each range first has a stop search for every such axis, innermost first. A stop search
/// evaluates constraints alone and finds the values with a feasible candidate.
namespace opledger {
namespace {

const std::string kAnyReason;  // No reason: feasible candidates count, not refused candidates.

class Sweep {
 public:
  /// Connects the parts of the pipeline. Metrics for single candidates are the last outputs of the query; a sweep never
  /// evaluates them, so group builder and queue know the earlier outputs only. Stop searches have a cache of traces
  /// without metrics.
  Sweep(Space& space, const SweepRequest& request, Diagnostics& diagnostics)
      : space_(space),
        request_(request),
        diagnostics_(diagnostics),
        stops_(space),
        assignment_(space, &stops_),
        free_(space),
        partitioner_(stops_, free_, assignment_, diagnostics),
        builder_(space, free_, stops_, assignment_, diagnostics),
        query_(query_of(space, request)),
        assembly_(space, request, assignment_, result_) {
    const std::vector<std::string> outputs(query_.outputs.begin(), query_.outputs.end() - static_cast<std::ptrdiff_t>(request.single_metrics.size()));
    listed_outputs_ = outputs.size();
    queue_.emplace(space, free_, stops_, request, outputs, assembly_);
    Query feasible = query_of(space);
    feasible.constraints = true;
    cache_ = std::make_shared<TraceCache>(space, free_, query_, request.refused_by);
    stop_cache_.emplace(space, free_, std::move(feasible), kAnyReason);
  }

  /// Runs the sweep: cuts the space into candidate ranges and searches them interval by interval. A callback supplies
  /// the intervals if several processes share the space; otherwise one interval has all ranges. The queue is emptied
  /// after each interval, so its results are complete before the next interval is requested. An interruption ends the
  /// loop and leaves a partial result. An empty space is an error, except for a process with a part of the space.
  /// Returns false after an error.
  bool run() {
    CandidateRanges ranges(space_);
    const std::optional<std::uint64_t> total = ranges.total(diagnostics_);
    if (!total) return false;
    queue_->total = *total;
    ranges.limit_candidates(max_range_size(*total, request_, !stops_.none()));
    ranges.keep_together_before(first_stop(space_));
    for (std::optional<RangeInterval> interval = first_interval(); interval; interval = request_.ranges ? request_.ranges(*cache_) : std::nullopt) {
      const bool finished = search_ranges(ranges, *interval);
      if (diagnostics_.has_errors() || !queue_->run(diagnostics_) || !assembly_.finish(diagnostics_) || !finished) break;
    }
    if (diagnostics_.has_errors() || !assembly_.finish(diagnostics_)) return false;
    result_.partial = request_.stopped();
    if (result_.candidates == 0 && !result_.partial && !request_.ranges) {
      ranges.report_why_empty(diagnostics_);
      return false;
    }
    cache_->cancel_prefetches();
    result_.traces = cache_->size();
    result_.known = cache_;
    result_.groups = assembly_.groups();
    return true;
  }

  /// Returns the first interval of candidate ranges: from the callback, or everything from `first` on.
  std::optional<RangeInterval> first_interval() const {
    return request_.ranges ? request_.ranges(*cache_) : std::optional<RangeInterval>({request_.first, kMaxCandidates});
  }

  /// Searches the candidate ranges of an interval. Returns false after an error or an interruption.
  bool search_ranges(CandidateRanges& ranges, const RangeInterval& interval) {
    while (std::optional<CandidateRange> range = ranges.produced() < interval.to ? ranges.next(diagnostics_) : std::nullopt) {
      if (range->number < interval.from) continue;
      range_ = std::make_shared<const CandidateRange>(std::move(*range));
      if (!(stops_.none() ? search_range() : search_with_stops())) return false;
    }
    return !diagnostics_.has_errors();
  }

  SweepResult take() { return std::move(result_); }

 private:
  /// Searches the current range under stopping axes: one stop search per axis, then the evaluation of the remaining
  /// candidates. The queue is run after each search, because the next one depends on its result.
  bool search_with_stops() {
    stops_.begin();
    for (stop_ = stops_.next(); stop_; stop_ = stops_.next()) {
      if (!search_range() || !queue_->run(diagnostics_) || request_.stopped()) return false;
      stops_.resolve();
    }
    return assembly_.begin(range_, diagnostics_) && search_range() && queue_->run(diagnostics_) && assembly_.finish(diagnostics_);
  }

  /// Partitions the current range and queues its groups, for a stop search or for the evaluation.
  bool search_range() {
    TraceCache& cache = stop_ ? *stop_cache_ : *cache_;
    const auto take = [&](PartitionGroup group) { return queue_->add(std::move(group), diagnostics_) && limit_recordings(cache); };
    builder_.begin(range_, stop_, listed_outputs_, cache_->values());
    const auto should_continue = [&] { return !request_.stopped(); };
    const auto add = [&](Partition partition) { return builder_.add(std::move(partition), take); };
    return partitioner_.run(*range_, cache, add, should_continue) && builder_.finish(take);
  }

  /// Evaluates the groups in the queue if recordings are many, and drops recordings whose plans are made. The next time
  /// comes when their number has grown by half of the limit, because recordings of open groups stay.
  bool limit_recordings(TraceCache& cache) {
    if (cache.instructions() <= std::max(most_recorded_, request_.max_recorded)) return true;
    if (!queue_->run(diagnostics_)) return false;
    cache.drop_recordings();
    most_recorded_ = cache.instructions() + request_.max_recorded / 2;
    return true;
  }

  Space& space_;
  const SweepRequest& request_;
  Diagnostics& diagnostics_;
  Stops stops_;
  std::optional<std::size_t> stop_;  ///< Axis under examination by a stop search; empty during the evaluation.
  Assignment assignment_;
  FreeAxes free_;
  Partitioner partitioner_;
  GroupBuilder builder_;
  std::shared_ptr<const CandidateRange> range_;  ///< Current candidate range.
  Query query_;
  std::size_t listed_outputs_ = 0;  ///< Number of leading outputs that every candidate needs.
  std::shared_ptr<TraceCache> cache_;
  std::optional<TraceCache> stop_cache_;  ///< Traces of stop searches, which depend on feasibility alone.
  std::size_t most_recorded_ = 0;         ///< Number of recorded instructions at which recordings are dropped next.
  SweepResult result_;
  Assembly assembly_;
  std::optional<GroupQueue> queue_;
};

/// Returns whether the system gives the threads that a search needs, and reports an error otherwise. TBB starts its
/// threads in places where a failure would end the program. They are therefore started here first, all at once and with
/// stacks of the same size.
bool has_threads(std::size_t count, Diagnostics& diagnostics) {
  constexpr std::size_t kStackBytes = 4 << 20;
  std::atomic<bool> finished{false};
  const auto wait = [](void* until) -> void* {
    static_cast<std::atomic<bool>*>(until)->wait(false);
    return nullptr;
  };
  pthread_attr_t attributes;
  ::pthread_attr_init(&attributes);
  ::pthread_attr_setstacksize(&attributes, kStackBytes);
  std::vector<pthread_t> threads(count);
  std::size_t started = 0;
  while (started < count && ::pthread_create(&threads[started], &attributes, wait, &finished) == 0) ++started;
  finished = true;
  finished.notify_all();
  for (std::size_t i = 0; i < started; ++i) ::pthread_join(threads[i], nullptr);
  ::pthread_attr_destroy(&attributes);
  if (started == count) return true;
  diagnostics.error({},
                    fmt::format("the system gives this search {} of {} threads: `--jobs {}` needs no more; a limit (`ulimit -v`, `ulimit -u`) may be too low",
                                started + 1, count + 1, started + 1));
  return false;
}

}  // namespace

std::optional<SweepResult> sweep(Space& space, const SweepRequest& request, Diagnostics& diagnostics) {
  std::optional<tbb::global_control> limit;
  if (request.jobs > 0) limit.emplace(tbb::global_control::max_allowed_parallelism, request.jobs);
  if (!has_threads(tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism) - 1, diagnostics)) return std::nullopt;
  Sweep all(space, request, diagnostics);
  if (!all.run()) return std::nullopt;
  return all.take();
}

}  // namespace opledger
