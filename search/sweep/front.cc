#include "search/sweep/front.h"

#include <algorithm>

namespace opledger {

/// Compares two points in the sense of dominance; ends as soon as each point is better in one metric.
Front::Dominance Front::compare(std::span<const double> a, std::span<const double> b) const {
  bool better = false, worse = false;
  for (std::size_t m = 0; m < maximize_.size(); ++m) {
    if (a[m] == b[m]) continue;
    ((a[m] > b[m]) == maximize_[m] ? better : worse) = true;
    if (better && worse) return Dominance::neither;
  }
  return better ? Dominance::better : worse ? Dominance::worse : Dominance::equal;
}

bool Front::dominates(std::span<const double> metrics) {
  const auto is_dominated_by = [&](std::size_t i) { return compare(points_[i].metrics, metrics) == Dominance::better; };
  if (last_dominator_ < points_.size() && is_dominated_by(last_dominator_)) return true;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    if (!is_dominated_by(i)) continue;
    last_dominator_ = i;
    return true;
  }
  return false;
}

/// Inserts a point in at most two passes over the front, O(points x metrics). A dominated point is dropped; otherwise
/// the points that it dominates are erased, so the front stays minimal. Of equal points, the first candidate in the
/// order of the space remains.
void Front::add(FrontPoint point, Assignment& order, Diagnostics& diagnostics) {
  for (FrontPoint& other : points_) {
    const Dominance is = compare(point.metrics, other.metrics);
    if (is == Dominance::worse) return;
    if (is != Dominance::equal) continue;
    other.multiplicity += point.multiplicity;
    if (order.precedes(point.values, other.values, diagnostics)) other.values = std::move(point.values);
    return;
  }
  points_.erase(
      std::remove_if(points_.begin(), points_.end(), [&](const FrontPoint& other) { return compare(point.metrics, other.metrics) == Dominance::better; }),
      points_.end());
  points_.push_back(std::move(point));
}

std::vector<FrontPoint> Front::sorted() const {
  std::vector<FrontPoint> out = points_;
  std::sort(out.begin(), out.end(), [&](const FrontPoint& a, const FrontPoint& b) {
    for (std::size_t m = 0; m < maximize_.size(); ++m) {
      if (a.metrics[m] != b.metrics[m]) return (a.metrics[m] > b.metrics[m]) == maximize_[m];
    }
    return false;
  });
  return out;
}

}  // namespace opledger
