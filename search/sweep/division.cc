#include "search/sweep/division.h"

#include <algorithm>
#include <iterator>

namespace opledger {
namespace {

// Least number of waiting traces for which another thread pays off: the first trace on a new tape takes as long as several
// later ones.
constexpr std::size_t kWorthATape = 4;

}  // namespace

/// Partition refinement. The first candidate of a region is traced, or its trace is found in the cache. The guards of the trace
/// become filters: tables over the values that a few axes take together. Each filter cuts the region in two; the admitted part
/// goes on to the next filter, the refused part becomes a new region. The part that passes all filters is a partition. If the
/// axes of a guard have too many combinations for a table, outer axes are assigned value by value, outermost first, until the
/// rest fits. The number of traces is the number of programs that occur, usually far below the number of candidates.
bool Division::run(const Stretch& stretch, KnownStructures& structures, FunctionRef<bool(Piece)> take, FunctionRef<bool()> goes_on) {
  stretch_ = &stretch;
  waiting_.clear();
  waiting_.push_back({std::make_shared<const Region>(), stretch.known, stretch.values, {}, 0, nullptr, {}});
  while (!waiting_.empty()) {
    Work work = std::move(waiting_.back());
    waiting_.pop_back();
    if (work.structure != nullptr) {
      if (!take({*work.structure, *work.region, work.known, std::move(work.values)})) return false;
      continue;
    }
    if (!goes_on()) return false;
    if (!assignment_.enter(stretch, *work.region)) continue;
    assignment_.values = work.values;
    if (!(work.axis ? advance(std::move(work)) : divide(std::move(work), structures))) return false;
  }
  return true;
}

/// Completes the assignment to the first candidate of the region, by depth-first search with backtracking. `empty` if the
/// region has none.
Assigned Division::complete(AxisSet known) {
  if (const Assigned o = assignment_.derive(known, diagnostics_); o != Assigned::good) return o;
  if (known == assignment_.all()) return Assigned::good;
  const std::size_t axis = assignment_.next(known, assignment_.all());
  const std::vector<double>* domain = assignment_.domain(axis, diagnostics_);
  if (domain == nullptr) return Assigned::error;
  for (const double value : *domain) {
    assignment_.values[axis] = value;
    if (!assignment_.admits(axis, known | axis_bit(axis))) continue;
    if (const Assigned o = complete(known | axis_bit(axis)); o != Assigned::empty) return o;
  }
  return Assigned::empty;
}

/// Finds the first candidate of a region. Returns false if the region is empty, or, with errors, if a domain can't be evaluated.
bool Division::find_sample(Work& work) {
  if (!assignment_.enter(*stretch_, *work.region)) return false;
  assignment_.values = work.values;
  if (complete(work.known) != Assigned::good) return false;
  work.sample = assignment_.values;
  return true;
}

/// Prefetches the traces of new regions, if enough regions wait to occupy another thread. The region that is needed first is
/// requested last.
void Division::expect(const std::vector<Work>& rests, KnownStructures& structures) const {
  const auto waits = [](const Work& work) { return work.structure == nullptr; };
  const auto waiting = static_cast<std::size_t>(std::count_if(waiting_.begin(), waiting_.end(), waits));
  if (waiting + rests.size() < kWorthATape) return;
  for (auto rest = rests.rbegin(); rest != rests.rend(); ++rest) structures.expect(rest->sample);
}

/// Cuts a region along the guards of its first candidate.
bool Division::divide(Work work, KnownStructures& structures) {
  if (work.sample.empty() && !find_sample(work)) return !diagnostics_.has_errors();
  GuardedTrace& structure = structures.of(work.sample);
  std::vector<Filter> filters = structure.filters;
  for (const JointGuards& guards : structure.wide) {
    if ((guards.read() & ~work.known) == 0) continue;
    assignment_.values = work.values;
    std::optional<Filter> filter = this->filter(guards, work);
    if (diagnostics_.has_errors()) return false;
    if (!filter) return spread(std::move(work), stops_.with_read(guards.read()));
    if (!filter->always()) filters.push_back(std::move(*filter));
  }
  Region own = *work.region;
  std::vector<Work> rests;
  for (const Filter& filter : filters) {
    Region rest = own;
    if (rest.narrow(filter.inverse())) rests.push_back({std::make_shared<const Region>(std::move(rest)), work.known, work.values, {}, 0, nullptr, {}});
    own.narrow(filter);
  }
  for (Work& rest : rests) {
    if (!find_sample(rest) && diagnostics_.has_errors()) return false;
  }
  rests.erase(std::remove_if(rests.begin(), rests.end(), [](const Work& rest) { return rest.sample.empty(); }), rests.end());
  expect(rests, structures);
  waiting_.push_back({std::make_shared<const Region>(std::move(own)), work.known, std::move(work.values), {}, 0, &structure, {}});
  waiting_.insert(waiting_.end(), std::make_move_iterator(rests.rbegin()), std::make_move_iterator(rests.rend()));  // the first one is on top of the stack
  return true;
}

/// Builds the filter of guards for the assigned values. Returns nothing if the other axes have too many combinations, or, with
/// errors, if a domain can't be evaluated.
std::optional<Filter> Division::filter(const JointGuards& guards, const Work& work) {
  std::vector<std::vector<double>> candidates;
  const bool all = assignment_.each(work.known, stops_.with_read(guards.read()), diagnostics_, [&](AxisSet) {
    candidates.push_back(assignment_.values);
    return candidates.size() <= kMostCombinations;
  });
  assignment_.values = work.values;
  if (!all) return std::nullopt;
  return guards.filter(free_, candidates);
}

/// Starts to enumerate the values of the first unassigned axis in `axes`.
bool Division::spread(Work work, AxisSet axes) {
  if (const Assigned o = assignment_.derive(work.known, diagnostics_); o != Assigned::good) return o == Assigned::empty;
  work.values = assignment_.values;
  work.axis = assignment_.next(work.known, axes);
  waiting_.push_back(std::move(work));
  return true;
}

/// Pushes the region with the next value of the enumerated axis.
bool Division::advance(Work work) {
  const std::size_t axis = *work.axis;
  const std::vector<double>* domain = assignment_.domain(axis, diagnostics_);
  if (domain == nullptr) return false;
  if (work.next == domain->size()) return true;
  Work one{work.region, work.known | axis_bit(axis), work.values, {}, 0, nullptr, {}};
  one.values[axis] = (*domain)[work.next++];
  const bool admitted = work.region->admits(axis, one.known, one.values);
  waiting_.push_back(std::move(work));
  if (admitted) waiting_.push_back(std::move(one));
  return true;
}

}  // namespace opledger
