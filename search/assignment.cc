#include <algorithm>

#include "search/part.h"

namespace opledger {

Assignment::Assignment(Space& space) : values(space.axes.size()), domains(space), space_(space) {
  all_ = space.axes.size() == kMaxSpaceAxes ? ~AxisSet{0} : axis_bit(space.axes.size()) - 1;
  for (std::size_t a = 0; a < space.axes.size(); ++a) {
    const Type::Kind kind = space.axes[a].input->type.kind;
    values[a] = kind == Type::Kind::words || kind == Type::Kind::boolean ? 0 : 1;
  }
}

Assigned Assignment::derive(AxisSet& known, Diagnostics& diagnostics) {
  for (std::size_t a = 0; a < space_.axes.size(); ++a) {
    if ((known & axis_bit(a)) != 0 || space_.axes[a].derived == nullptr || (space_.axes[a].reads & ~known) != 0) continue;
    const std::vector<double>* only = domain(a, diagnostics);
    if (only == nullptr) return Assigned::error;
    if (only->empty()) return Assigned::empty;
    values[a] = only->front();
    known |= axis_bit(a);
  }
  return Assigned::good;
}

std::size_t Assignment::next(AxisSet known, AxisSet wanted) const {
  for (std::size_t a = 0; a < space_.axes.size(); ++a) {
    if ((known & axis_bit(a)) == 0 && (wanted & axis_bit(a)) != 0 && (space_.axes[a].reads & ~known) == 0) return a;
  }
  return space_.axes.size();
}

bool Assignment::precedes(const std::vector<double>& a, const std::vector<double>& b, Diagnostics& diagnostics) {
  for (std::size_t axis = 0; axis < a.size(); ++axis) {
    if (a[axis] == b[axis]) continue;
    const std::vector<double>* domain = domains.of(axis, a, diagnostics);  // the same for both, since all axes before are equal
    return std::find(domain->begin(), domain->end(), a[axis]) < std::find(domain->begin(), domain->end(), b[axis]);
  }
  return false;
}

void keep_best(std::vector<Found>& best, Found found, std::size_t top, bool most, Assignment& order, Diagnostics& diagnostics) {
  const auto better = [&](const Found& a, const Found& b) {
    if (a.score != b.score) return most ? a.score > b.score : a.score < b.score;
    return order.precedes(a.values, b.values, diagnostics);
  };
  const auto place = std::upper_bound(best.begin(), best.end(), found, better);
  best.insert(place, std::move(found));
  if (best.size() > top) best.pop_back();
}

}  // namespace opledger
