#include "search/sweep/partitioner.h"

#include <algorithm>
#include <iterator>

namespace opledger {
namespace {

// Least number of waiting traces for which another thread pays off: the first trace on a new tape takes as long as several
// later ones.
constexpr std::size_t kMinWaiting = 4;

}  // namespace

/// Divides a candidate range into partitions, whose candidates share one trace (the program recorded for one
/// candidate). The method is partition refinement. The first candidate of a region is traced, or its trace is found in
/// the cache. The guards of the trace become filters: tables over the values that a few axes take together. Each filter
/// cuts the region in two; the admitted part goes on to the next filter, the refused part becomes a new region. The
/// part that passes all filters is a partition. If a guard has too many combinations for a table, its axes are assigned
/// value by value, outermost first, until the remaining axes fit. The number of traces is usually far below the number
/// of candidates.
///
/// `stack_` has the regions to divide; an entry with a trace is a finished partition, an entry with an axis enumerates
/// the values of the axis. The stack is explicit, because regions can be as many as candidates, too many for recursion.
bool Partitioner::run(const CandidateRange& range, TraceCache& cache, FunctionRef<bool(Partition)> take, FunctionRef<bool()> should_continue) {
  range_ = &range;
  stack_.clear();
  stack_.push_back({std::make_shared<const Region>(), range.known, range.values, {}, 0, nullptr, {}});
  while (!stack_.empty()) {
    StackEntry entry = std::move(stack_.back());
    stack_.pop_back();
    if (entry.trace != nullptr) {
      if (!take({*entry.trace, *entry.region, entry.known, std::move(entry.values)})) return false;
      continue;
    }
    if (!should_continue()) return false;
    if (!assignment_.enter(range, *entry.region)) continue;
    assignment_.values = entry.values;
    if (!(entry.axis ? assign_next(std::move(entry)) : cut(std::move(entry), cache))) return false;
  }
  return true;
}

/// Completes the assignment to the first candidate of the region, by depth-first search with backtracking. `empty` if the
/// region has none.
AssignmentStatus Partitioner::complete(AxisSet known) {
  if (const AssignmentStatus status = assignment_.derive(known, diagnostics_); status != AssignmentStatus::good) return status;
  if (known == assignment_.all()) return AssignmentStatus::good;
  const std::size_t axis = assignment_.next(known, assignment_.all());
  const std::vector<double>* domain = assignment_.domain(axis, diagnostics_);
  if (domain == nullptr) return AssignmentStatus::error;
  for (const double value : *domain) {
    assignment_.values[axis] = value;
    if (!assignment_.admits(axis, known | axis_bit(axis))) continue;
    if (const AssignmentStatus status = complete(known | axis_bit(axis)); status != AssignmentStatus::empty) return status;
  }
  return AssignmentStatus::empty;
}

/// Finds the first candidate of a region. Returns false if the region is empty, or, with errors, if a domain can't be
/// evaluated.
bool Partitioner::find_sample(StackEntry& entry) {
  if (!assignment_.enter(*range_, *entry.region)) return false;
  assignment_.values = entry.values;
  if (complete(entry.known) != AssignmentStatus::good) return false;
  entry.sample = assignment_.values;
  return true;
}

/// Prefetches the traces of new regions, if enough regions wait to occupy another thread. The region that is needed
/// first is requested last, because later requests are served first.
void Partitioner::prefetch(const std::vector<StackEntry>& regions, TraceCache& cache) const {
  const auto waits = [](const StackEntry& entry) { return entry.trace == nullptr; };
  const auto waiting = static_cast<std::size_t>(std::count_if(stack_.begin(), stack_.end(), waits));
  if (waiting + regions.size() < kMinWaiting) return;
  for (auto region = regions.rbegin(); region != regions.rend(); ++region) cache.expect(region->sample);
}

/// Cuts a region along the guards of the trace of its first candidate. Most guards are filters already: tables of
/// admitted values. A wide guard reads axes with too many combinations; with the values assigned so far a table may
/// fit, otherwise the values of one more axis are enumerated first. Each filter splits off the refused candidates as a
/// new region. Regions without candidates are dropped, and the traces of the new regions are prefetched. The admitted
/// part is pushed as a finished partition below the new regions. Returns false, with errors, if a domain can't be
/// evaluated.
bool Partitioner::cut(StackEntry entry, TraceCache& cache) {
  if (entry.sample.empty() && !find_sample(entry)) return !diagnostics_.has_errors();
  GuardedTrace& trace = cache.of(entry.sample);
  std::vector<Filter> filters = trace.filters;
  for (const JointGuards& guards : trace.wide) {
    if ((guards.read() & ~entry.known) == 0) continue;  // the sample has the same values and satisfies the guards
    assignment_.values = entry.values;
    std::optional<Filter> filter = this->filter(guards, entry);
    if (diagnostics_.has_errors()) return false;
    if (!filter) return start_enumeration(std::move(entry), stops_.with_dependencies(guards.read()));
    if (!filter->always()) filters.push_back(std::move(*filter));
  }
  Region own = *entry.region;
  std::vector<StackEntry> regions;
  for (const Filter& filter : filters) {
    Region region = own;
    if (region.narrow(filter.inverse())) regions.push_back({std::make_shared<const Region>(std::move(region)), entry.known, entry.values, {}, 0, nullptr, {}});
    own.narrow(filter);
  }
  for (StackEntry& region : regions) {
    if (!find_sample(region) && diagnostics_.has_errors()) return false;
  }
  regions.erase(std::remove_if(regions.begin(), regions.end(), [](const StackEntry& region) { return region.sample.empty(); }), regions.end());
  prefetch(regions, cache);
  ++trace.plans;
  stack_.push_back({std::make_shared<const Region>(std::move(own)), entry.known, std::move(entry.values), {}, 0, &trace, {}});
  stack_.insert(stack_.end(), std::make_move_iterator(regions.rbegin()), std::make_move_iterator(regions.rend()));  // the first one is on top of the stack
  return true;
}

/// Builds the filter of guards for the assigned values. Returns nothing if the other axes have too many combinations,
/// or, with errors, if a domain can't be evaluated.
std::optional<Filter> Partitioner::filter(const JointGuards& guards, const StackEntry& entry) {
  std::vector<std::vector<double>> candidates;
  const bool enumerated = assignment_.each(entry.known, stops_.with_dependencies(guards.read()), diagnostics_, [&](AxisSet) {
    candidates.push_back(assignment_.values);
    return candidates.size() <= kMaxCombinations;
  });
  assignment_.values = entry.values;
  if (!enumerated) return std::nullopt;
  return guards.filter(free_, candidates);
}

/// Starts to enumerate the values of the first unassigned axis in `axes`.
bool Partitioner::start_enumeration(StackEntry entry, AxisSet axes) {
  if (const AssignmentStatus status = assignment_.derive(entry.known, diagnostics_); status != AssignmentStatus::good) return status == AssignmentStatus::empty;
  entry.values = assignment_.values;
  entry.axis = assignment_.next(entry.known, axes);
  stack_.push_back(std::move(entry));
  return true;
}

/// Pushes the region with the next value of the enumerated axis.
bool Partitioner::assign_next(StackEntry entry) {
  const std::size_t axis = *entry.axis;
  const std::vector<double>* domain = assignment_.domain(axis, diagnostics_);
  if (domain == nullptr) return false;
  if (entry.next == domain->size()) return true;
  StackEntry child{entry.region, entry.known | axis_bit(axis), entry.values, {}, 0, nullptr, {}};
  child.values[axis] = (*domain)[entry.next++];
  const bool admitted = entry.region->admits(axis, child.known, child.values);
  stack_.push_back(std::move(entry));
  if (admitted) stack_.push_back(std::move(child));
  return true;
}

}  // namespace opledger
