#include "search/sweep/trace_cache.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/global_control.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <bit>

#include "search/sweep/refusal.h"

namespace opledger {

/// A prefetcher on the threads of this process. Each thread records on a tape of its own, and traces of one tape share
/// instructions. Without further threads, requests are ignored and the cache traces on demand.
struct TraceCache::Threads : TracePrefetcher {
  /// The tape of a thread, with its number.
  struct ThreadTape {
    CompiledProgram::Shared shared;
    std::uint64_t number = 0;
  };
  /// A requested trace. Its destructor waits for the task.
  struct Prefetch {
    ~Prefetch() {
      task.cancel();
      task.wait();
    }

    std::optional<NumberedTrace> traced;
    tbb::task_group task;
  };

  explicit Threads(TraceCache& of) : cache(of) {}

  void expect(const std::vector<double>& candidate) override {
    if (tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism) == 1) return;
    const auto [place, fresh] = prefetches.try_emplace(candidate);
    if (!fresh) return;
    place->second.task.run([this, &values = place->first, &to = place->second] { to.traced = cache.trace(values); });
  }

  std::optional<NumberedTrace> take(const std::vector<double>& candidate) override {
    const auto found = prefetches.find(candidate);
    if (found == prefetches.end()) return std::nullopt;
    found->second.task.wait();
    NumberedTrace out = std::move(*found->second.traced);
    prefetches.erase(found);
    return out;
  }

  void forget(const std::vector<double>& candidate) override { prefetches.erase(candidate); }

  TraceCache& cache;
  tbb::enumerable_thread_specific<std::unique_ptr<ThreadTape>> tapes;
  std::atomic<std::uint64_t> next{0};                  ///< Number of the next tape.
  std::map<std::vector<double>, Prefetch> prefetches;  ///< Declared after `tapes`: tasks end before their tapes are destroyed.
};

TraceCache::TraceCache(Space& space, FreeAxes free, Query query, std::string refused_by)
    : space_(space),
      free_(std::move(free)),
      query_(std::move(query)),
      refused_by_(std::move(refused_by)),
      combinations_(space),
      values_(space.axes.size()),
      threads_(std::make_unique<Threads>(*this)),
      ahead_(threads_.get()) {
  for (const std::size_t axis : free_.axes) {
    values_[axis] = combinations_.values(space, axis);
    if (values_[axis] != nullptr) candidates_.values[space.axes[axis].input] = *values_[axis];
  }
}

TraceCache::~TraceCache() = default;

void TraceCache::number_tapes_from(std::uint64_t first) { threads_->next = first; }

void TraceCache::expect(const std::vector<double>& values) {
  if (find(values) == nullptr) ahead_->expect(values);
}

void TraceCache::cancel_prefetches() { threads_->prefetches.clear(); }

NumberedTrace TraceCache::trace(const std::vector<double>& values) {
  std::unique_ptr<Threads::ThreadTape>& tape = threads_->tapes.local();
  if (tape == nullptr) {
    tape = std::make_unique<Threads::ThreadTape>();
    tape->shared.candidates = candidates_;
    tape->number = threads_->next++;
  }
  NumberedTrace out{CompiledProgram::trace_or_refuse(*space_.run, query_, free_.of(values), tape->shared), tape->number};
  if (!refused_by_.empty()) keep_refused(out.trace, refused_by_);
  return out;
}

/// Returns whether a candidate passes the filters and guards of a trace, so that it shares the trace.
bool TraceCache::covers(const GuardedTrace& known, const std::vector<double>& values) const {
  if (known.is_dropped) return false;
  const auto passes = [&](const Filter& filter) { return filter.admits(filter.axes(), values); };
  if (!std::all_of(known.filters.begin(), known.filters.end(), passes)) return false;
  const std::vector<double> candidate = known.wide.empty() ? std::vector<double>{} : free_.of(values);
  return std::all_of(known.wide.begin(), known.wide.end(), [&](const JointGuards& guards) { return guards.hold(candidate); });
}

/// Returns the cached trace of a candidate, or null. The newest trace is tried first, because candidates come in runs.
GuardedTrace* TraceCache::find(const std::vector<double>& values) {
  const auto known = std::find_if(all_.rbegin(), all_.rend(), [&](const auto& one) { return covers(*one, values); });
  return known == all_.rend() ? nullptr : known->get();
}

GuardedTrace& TraceCache::of(const std::vector<double>& values) {
  if (GuardedTrace* const known = find(values)) {
    ahead_->forget(values);  // another candidate has added the trace since the request
    return *known;
  }
  std::optional<NumberedTrace> traced = ahead_->take(values);
  return add(traced ? std::move(*traced) : trace(values));
}

void TraceCache::drop_recordings() {
  for (const auto& one : all_) {
    if (one->plans != 0 || one->is_dropped) continue;
    instructions_ -= one->trace.tape.instructions().size();
    one->trace.tape = Tape();
    one->trace.results = {};
    one->trace.checks = {};
    one->trace.recorded = {};
    one->filters = {};
    one->wide = {};
    one->is_dropped = true;
  }
}

GuardedTrace& TraceCache::add(NumberedTrace traced) {
  GuardedTrace& out = *all_.emplace_back(std::make_unique<GuardedTrace>());
  static_cast<NumberedTrace&>(out) = std::move(traced);
  instructions_ += out.trace.tape.instructions().size();
  add_filters(out);
  for (const Trace::Check& check : out.trace.checks) out.reasons.push_back(reason_of(check));
  return out;
}

/// Turns the guards of a new trace into filters, so that a lookup tests a candidate with a few table lookups. Guards
/// that depend on the same axes are evaluated together, for all combinations of values of these axes. The combinations
/// include the axes that their domains read. The result is a table of admitted combinations. A table that admits
/// everything is dropped. Traces recorded on one tape often repeat guards, so tables are cached. The key is the number
/// of the tape, with the symbols and required values of the conditions. Guards over too many combinations stay guards
/// (`wide`), and Partitioner assigns axes until the rest fits a table.
void TraceCache::add_filters(GuardedTrace& trace) {
  struct Group {
    std::vector<Tape::Guard> guards;
    std::vector<std::pair<std::int32_t, std::uint64_t>> recorded;
  };
  std::map<AxisSet, Group> by_axes;
  const std::vector<AxisSet> depends = dependence(trace.trace.tape, free_.sets());
  const std::vector<Tape::Guard>& guards = trace.trace.tape.guards();
  for (std::size_t g = 0; g < guards.size(); ++g) {
    Group& group = by_axes[guards[g].condition.constant() ? 0 : depends[guards[g].condition.symbol]];
    group.guards.push_back(guards[g]);
    if (!trace.trace.recorded.empty()) group.recorded.emplace_back(trace.trace.recorded[g], std::bit_cast<std::uint64_t>(guards[g].value));
  }
  for (const auto& [axes, group] : by_axes) {
    const AxisSet read = with_dependencies(space_, axes);
    const std::vector<std::vector<double>>* const candidates = combinations_.of(read);
    if (candidates == nullptr) {
      trace.wide.emplace_back(trace.trace, axes, read, group.guards);
      continue;
    }
    const auto make_filter = [&] { return JointGuards(trace.trace, axes, read, group.guards).filter(free_, *candidates); };
    const auto known = group.recorded.empty() ? filters_.end() : filters_.find({trace.tape, group.recorded});
    Filter filter = known != filters_.end() ? known->second : make_filter();
    if (!group.recorded.empty() && known == filters_.end()) filters_.emplace(std::pair(trace.tape, group.recorded), filter);
    if (!filter.always()) trace.filters.push_back(std::move(filter));
  }
}

}  // namespace opledger
