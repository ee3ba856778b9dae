#pragma once
#include <cstddef>
#include <iterator>
#include <map>
#include <vector>

namespace opledger {

/// The front of candidates as they are read: positions of those that no other is as good as in all metrics and better in one; of equal ones the first. More of a metric is better.
class RecordedFront {
 public:
  void add(const std::vector<double>& worths, std::size_t at) {
    if (worths.size() == 2)
      add_to_stairs(worths[0], worths[1], at);
    else if (!too_large_)
      add_to_points(worths, at);
  }

  /// Of more than two metrics, too many to be told: then there is none.
  bool too_large() const { return too_large_; }

  std::vector<std::size_t> positions() const {
    std::vector<std::size_t> out;
    for (const auto& [_, stair] : stairs_) out.push_back(stair.at);
    for (const Point& point : points_) out.push_back(point.at);
    return out;
  }

 private:
  static constexpr std::size_t kMost = 5'000;
  struct Stair {
    double height = 0;
    std::size_t at = 0;
  };
  struct Point {
    std::vector<double> worths;
    std::size_t at = 0;
  };

  /// Further along they are lower.
  void add_to_stairs(double along, double height, std::size_t at) {
    auto next = stairs_.lower_bound(along);
    if (next != stairs_.end() && next->second.height >= height) return;
    if (next != stairs_.end() && next->first == along) next = stairs_.erase(next);
    while (next != stairs_.begin() && std::prev(next)->second.height <= height) next = stairs_.erase(std::prev(next));
    stairs_[along] = {height, at};
  }

  void add_to_points(const std::vector<double>& worths, std::size_t at) {
    const auto beats = [](const std::vector<double>& a, const std::vector<double>& b) {
      for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i] < b[i]) return false;
      }
      return true;
    };
    for (const Point& point : points_) {
      if (beats(point.worths, worths)) return;
    }
    std::erase_if(points_, [&](const Point& point) { return beats(worths, point.worths); });
    points_.push_back({worths, at});
    too_large_ = points_.size() > kMost;
    if (too_large_) points_.clear();
  }

  std::map<double, Stair> stairs_;
  std::vector<Point> points_;
  bool too_large_ = false;
};

}  // namespace opledger
