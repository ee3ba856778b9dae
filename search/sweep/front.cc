#include "search/sweep/front.h"

#include <algorithm>

namespace opledger {

Front::Against Front::compare(std::span<const double> a, std::span<const double> b) const {
  bool better = false, worse = false;
  for (std::size_t m = 0; m < most_.size(); ++m) {
    if (a[m] == b[m]) continue;
    ((a[m] > b[m]) == most_[m] ? better : worse) = true;
    if (better && worse) return Against::neither;
  }
  return better ? Against::better : worse ? Against::worse : Against::equal;
}

bool Front::beats(std::span<const double> metrics) {
  const auto beaten_by = [&](std::size_t i) { return compare(points_[i].metrics, metrics) == Against::better; };
  if (last_ < points_.size() && beaten_by(last_)) return true;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    if (!beaten_by(i)) continue;
    last_ = i;
    return true;
  }
  return false;
}

void Front::add(FrontPoint point, Assignment& order, Diagnostics& diagnostics) {
  for (FrontPoint& other : points_) {
    const Against is = compare(point.metrics, other.metrics);
    if (is == Against::worse) return;
    if (is != Against::equal) continue;
    other.alike += point.alike;
    if (order.precedes(point.values, other.values, diagnostics)) other.values = std::move(point.values);
    return;
  }
  points_.erase(
      std::remove_if(points_.begin(), points_.end(), [&](const FrontPoint& other) { return compare(point.metrics, other.metrics) == Against::better; }),
      points_.end());
  points_.push_back(std::move(point));
}

std::vector<FrontPoint> Front::sorted() const {
  std::vector<FrontPoint> out = points_;
  std::sort(out.begin(), out.end(), [&](const FrontPoint& a, const FrontPoint& b) {
    for (std::size_t m = 0; m < most_.size(); ++m) {
      if (a.metrics[m] != b.metrics[m]) return (a.metrics[m] > b.metrics[m]) == most_[m];
    }
    return false;
  });
  return out;
}

}  // namespace opledger
