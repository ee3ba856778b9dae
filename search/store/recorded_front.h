#pragma once
#include <cstddef>
#include <iterator>
#include <map>
#include <vector>

namespace opledger {

/// The Pareto front of candidates, built incrementally. A candidate is in the front unless another candidate is at
/// least as good in every metric. Of equal candidates the first stays. Larger scores are better.
///
/// Two metrics use a staircase in a sorted map: O(log n) amortized for each candidate. Any other number of metrics compares
/// with every point of the front, which is given up beyond 5,000 points.
class RecordedFront {
 public:
  /// Adds a candidate unless the front dominates it, and drops candidates that it dominates. `scores`: one per metric,
  /// always the same number. `at`: position of the candidate in its file.
  void add(const std::vector<double>& scores, std::size_t at) {
    if (scores.size() == 2)
      add_to_stairs(scores[0], scores[1], at);
    else if (!too_large_)
      add_to_points(scores, at);
  }

  /// Returns whether a front with an unsorted list of points exceeded the limit; it is then empty.
  bool too_large() const { return too_large_; }

  /// Returns the positions of the candidates in the front: for two metrics by ascending first score, otherwise in the
  /// order added.
  std::vector<std::size_t> positions() const {
    std::vector<std::size_t> out;
    for (const auto& [_, stair] : stairs_) out.push_back(stair.at);
    for (const Point& point : points_) out.push_back(point.at);
    return out;
  }

 private:
  static constexpr std::size_t kMost = 5'000;  ///< Limit of points for any number of metrics except two.
  /// A candidate of a front with two metrics.
  struct Stair {
    double height = 0;   ///< The second score.
    std::size_t at = 0;  ///< Position of the candidate.
  };
  /// A candidate of a front with another number of metrics.
  struct Point {
    std::vector<double> scores;  ///< One score for each metric.
    std::size_t at = 0;          ///< Position of the candidate.
  };

  /// Inserts a step. Invariant: heights fall as the first score rises. Steps that the new one dominates are erased.
  void add_to_stairs(double along, double height, std::size_t at) {
    auto next = stairs_.lower_bound(along);
    if (next != stairs_.end() && next->second.height >= height) return;
    if (next != stairs_.end() && next->first == along) next = stairs_.erase(next);
    while (next != stairs_.begin() && std::prev(next)->second.height <= height) next = stairs_.erase(std::prev(next));
    stairs_[along] = {height, at};
  }

  /// Inserts a point unless a point of the front dominates it, and erases the points that it dominates.
  void add_to_points(const std::vector<double>& scores, std::size_t at) {
    const auto dominates = [](const std::vector<double>& a, const std::vector<double>& b) {
      for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i] < b[i]) return false;
      }
      return true;
    };
    for (const Point& point : points_) {
      if (dominates(point.scores, scores)) return;
    }
    std::erase_if(points_, [&](const Point& point) { return dominates(scores, point.scores); });
    points_.push_back({scores, at});
    too_large_ = points_.size() > kMost;
    if (too_large_) points_.clear();
  }

  std::map<double, Stair> stairs_;  ///< Candidates by their first score.
  std::vector<Point> points_;
  bool too_large_ = false;
};

}  // namespace opledger
