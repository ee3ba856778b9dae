#include "search/sweep/division.h"

#include <algorithm>
#include <iterator>

namespace opledger {
namespace {

// So many structures wait, at least, where several threads trace them: the first on a tape takes as long as some others.
constexpr std::size_t kWorthATape = 4;

}  // namespace

/// Of a region the first candidate is completed and its structure traced, or found among those that are known. Filters say which candidates have the same
/// one, each by the values that some axes take together: the region without what a filter refuses goes on, and what it refuses is a region of its own. Where
/// these values are too many for a filter, those that are left once an outer axis has a value may not be: so axes get values, the outermost first, but
/// only as many of them as must.
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

/// The first candidate that has the known values.
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

/// False: there is none, or, with errors, it can't be made.
bool Division::find_sample(Work& work) {
  if (!assignment_.enter(*stretch_, *work.region)) return false;
  assignment_.values = work.values;
  if (complete(work.known) != Assigned::good) return false;
  work.sample = assignment_.values;
  return true;
}

/// The structures of what waits, if these are enough for another thread to begin with a tape of its own.
void Division::expect(const std::vector<Work>& rests, KnownStructures& structures) const {
  const auto waits = [](const Work& work) { return work.structure == nullptr; };
  const auto waiting = static_cast<std::size_t>(std::count_if(waiting_.begin(), waiting_.end(), waits));
  if (waiting + rests.size() < kWorthATape) return;
  for (auto rest = rests.rbegin(); rest != rests.rend(); ++rest) structures.expect(rest->sample);
}

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
  waiting_.insert(waiting_.end(), std::make_move_iterator(rests.rbegin()), std::make_move_iterator(rests.rend()));  // the first of them is the next
  return true;
}

/// For candidates that have the known values. Empty: the values of the other axes are too many, or, with errors, can't be computed.
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

/// Lets the first of these axes that has none get its values one by one.
bool Division::spread(Work work, AxisSet axes) {
  if (const Assigned o = assignment_.derive(work.known, diagnostics_); o != Assigned::good) return o == Assigned::empty;
  work.values = assignment_.values;
  work.axis = assignment_.next(work.known, axes);
  waiting_.push_back(std::move(work));
  return true;
}

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
