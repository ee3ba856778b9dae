#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "run/compiled_program.h"
#include "search/space/combinations.h"
#include "search/sweep/guarded_trace.h"

/// A trace cache, as in tracing compilers: traces of a space so far, each with the guards that admit further candidates.
/// Traces that will be needed soon can be recorded ahead by other threads or processes. Results do not depend on the
/// thread that records a trace.
namespace opledger {

/// A prefetcher of traces. Candidates have one value per axis.
class TracePrefetcher {
 public:
  virtual ~TracePrefetcher() = default;
  /// Requests the trace of a candidate. Later requests are served first if there is a choice.
  virtual void expect(const std::vector<double>& candidate) = 0;
  /// Waits for a requested trace. Returns nothing if nobody records it.
  virtual std::optional<NumberedTrace> take(const std::vector<double>& candidate) = 0;
  /// Withdraws a request.
  virtual void forget(const std::vector<double>& candidate) = 0;
};

/// A cache of the traces of one query over a space. Only `trace` is thread-safe.
class TraceCache {
 public:
  /// `refused_by`: a reason of refusal; only candidates refused for it count as feasible. Empty: candidates that pass all
  /// checks.
  TraceCache(Space& space, FreeAxes free, Query query, std::string refused_by);
  ~TraceCache();

  /// Replaces the threads of this process by another prefetcher.
  void prefetch_with(TracePrefetcher& others) { ahead_ = &others; }
  /// Sets the number of the first tape, so that tapes of several processes have distinct numbers.
  void number_tapes_from(std::uint64_t first);
  /// Prefetches the trace of a candidate that `of` will need. `values`: one per axis.
  void expect(const std::vector<double>& values);
  /// Cancels all prefetching by threads.
  void cancel_prefetches();
  /// Records the trace of a candidate without adding it to the cache. Thread-safe.
  NumberedTrace trace(const std::vector<double>& values);
  /// Adds a trace, such as one from another process, and builds its filters.
  GuardedTrace& add(NumberedTrace traced);
  /// Returns the trace of a candidate; a missing trace is recorded and added. `values`: one per axis.
  GuardedTrace& of(const std::vector<double>& values);
  /// Returns the number of instructions of all recordings.
  std::size_t instructions() const { return instructions_; }
  /// Drops the recordings that no plan waits for. Further candidates of such a trace get a new one.
  void drop_recordings();
  /// Returns the number of traces.
  std::size_t size() const { return all_.size(); }
  /// Returns all traces, oldest first.
  const std::vector<std::unique_ptr<GuardedTrace>>& all() const { return all_; }
  /// Returns the query that the traces answer.
  const Query& query() const { return query_; }
  /// Returns, for each axis, all its values in the space, ascending; null for derived axes and for too many values.
  const std::vector<const std::vector<double>*>& values() const { return values_; }

 private:
  struct Threads;

  /// Returns the trace of a candidate, or null.
  GuardedTrace* find(const std::vector<double>& values);
  /// Returns whether a candidate shares a trace.
  bool covers(const GuardedTrace& known, const std::vector<double>& values) const;
  /// Turns the guards of a trace into filters, or into wide guards.
  void add_filters(GuardedTrace& trace);

  Space& space_;
  const FreeAxes free_;
  const Query query_;
  const std::string refused_by_;
  Combinations combinations_;                       ///< Joint values of axes, for filters.
  std::vector<const std::vector<double>*> values_;  ///< All values of each axis, see `values`.
  Candidates candidates_;                           ///< Values of inputs in the space, for the recording of traces.
  /// Filters by tape and guards. Traces of one tape often share guards, bit for bit.
  std::map<std::pair<std::uint64_t, std::vector<std::pair<std::int32_t, std::uint64_t>>>, Filter> filters_;
  std::vector<std::unique_ptr<GuardedTrace>> all_;  ///< All traces, oldest first.
  std::size_t instructions_ = 0;                    ///< Number of instructions of all recordings.
  std::unique_ptr<Threads> threads_;                ///< Prefetcher on threads of this process, with a tape for each thread.
  TracePrefetcher* ahead_;                          ///< The prefetcher in use.
};

}  // namespace opledger
