#include "search/space/assignment.h"

#include <algorithm>

namespace opledger {

Assignment::Assignment(Space& space, const Stops* stops)
    : values(space.axes.size()),
      ranks(space.axes.size()),
      domains(space),
      space_(space),
      stops_(stops),
      shortened_(space.axes.size()),
      counter_(space, domains) {
  all_ = space.axes.size() == kMaxSpaceAxes ? ~AxisSet{0} : axis_bit(space.axes.size()) - 1;
  for (std::size_t a = 0; a < space.axes.size(); ++a) values[a] = any_value(space.axes[a]);
}

/// A range fixes its leading axes and may cut the domain of the next axis to a slice. `sliced_` is this axis; without a slice it
/// is past the last axis, so no axis equals it.
bool Assignment::enter(const CandidateRange& range, const Region& region) {
  values = range.values;
  region_ = &region;
  sliced_ = range.slice ? range.axis : values.size();
  slice_ = range.slice ? &*range.slice : nullptr;
  return region.admits(range.known, values);
}

bool Assignment::rank(AxisSet known, Diagnostics& diagnostics) {
  for (std::size_t a = 0; a < values.size(); ++a) {
    if ((known & axis_bit(a)) == 0) continue;
    const std::vector<double>* of = domain(a, diagnostics);
    if (of == nullptr) return false;
    ranks[a] = static_cast<std::uint32_t>(std::find(of->begin(), of->end(), values[a]) - of->begin());
  }
  return true;
}

/// A derived axis has one value, a formula of other axes. One pass in the order of the space suffices, because an axis reads
/// earlier axes only.
AssignmentStatus Assignment::derive(AxisSet& known, Diagnostics& diagnostics) {
  for (std::size_t a = 0; a < space_.axes.size(); ++a) {
    if ((known & axis_bit(a)) != 0 || space_.axes[a].derived == nullptr || (space_.axes[a].reads & ~known) != 0) continue;
    const std::vector<double>* only = domain(a, diagnostics);
    if (only == nullptr) return AssignmentStatus::error;
    if (only->empty()) return AssignmentStatus::empty;
    values[a] = only->front();
    known |= axis_bit(a);
  }
  return AssignmentStatus::good;
}

std::size_t Assignment::next(AxisSet known, AxisSet targets) const {
  for (std::size_t a = 0; a < space_.axes.size(); ++a) {
    if ((known & axis_bit(a)) == 0 && (targets & axis_bit(a)) != 0 && (reads(a) & ~known) == 0) return a;
  }
  return space_.axes.size();
}

const std::vector<double>* Assignment::shortened(std::size_t axis, const std::vector<double>& domain, Diagnostics& diagnostics) {
  // Shortens the domain of a stopping axis. The result ends with the first value that has candidates of which none is feasible;
  // later values are dropped. `stops_` has the hashes of all feasible prefixes: the values of the free axes up to `axis`. A
  // value without a feasible prefix may have no candidates at all, and then the domain goes on. The counter decides this case;
  // with limit 1 it stops at the first candidate. The result is a buffer, valid until the next call for the same axis.
  std::vector<double>& out = shortened_[axis];
  out.clear();
  const Stops::Key before = stops_->key_before(axis, values);
  std::vector<double> with = values;
  for (const double value : domain) {
    out.push_back(value);
    if (stops_->feasible(axis, before + Stops::key(axis, value))) continue;
    with[axis] = value;
    const std::optional<std::uint64_t> some = counter_.count(axis + 1, with, 1, diagnostics);
    if (!some) return nullptr;
    if (*some > 0) break;
  }
  return &out;
}

bool Assignment::precedes(const std::vector<double>& a, const std::vector<double>& b, Diagnostics& diagnostics) {
  // Candidates are ordered lexicographically: the first axis with different values decides. The domain of this axis is equal
  // for both candidates, because all axes before have equal values. In an ascending domain the values decide, without a
  // search; otherwise the positions of the values in the domain do.
  for (std::size_t axis = 0; axis < a.size(); ++axis) {
    if (a[axis] == b[axis]) continue;
    const std::vector<double>* domain = domains.of(axis, a, diagnostics);
    if (domains.rising(axis, *domain)) return a[axis] < b[axis];
    return std::find(domain->begin(), domain->end(), a[axis]) < std::find(domain->begin(), domain->end(), b[axis]);
  }
  return false;
}

}  // namespace opledger
