#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "search/space/assignment.h"

/// The Pareto front of candidates over several metrics. Candidate A dominates B if A is at least as good in every
/// metric and better in at least one metric. The front has the candidates that no candidate dominates.
namespace opledger {

/// Feasible candidates with equal metrics, as a point of the front.
struct FrontPoint {
  std::vector<double> metrics;     ///< Values of the front's metrics, finite.
  std::vector<double> values;      ///< Axis values of the first candidate with these metrics, in the order of the space.
  std::uint64_t multiplicity = 1;  ///< Number of candidates with these metrics.
};

/// A front as an unsorted list of points without dominated points. An insertion compares with up to all points.
class Front {
 public:
  Front() = default;
  /// `maximize`: for each metric, whether the largest value is the best.
  explicit Front(std::vector<bool> maximize) : maximize_(std::move(maximize)) {}

  /// Returns whether a point of the front dominates these metrics.
  bool dominates(std::span<const double> metrics);
  /// Adds a point unless the front dominates it, and drops points that it dominates. Equal points merge; the first
  /// candidate in the order of the space represents them. `order` compares candidates; its errors go to `diagnostics`.
  void add(FrontPoint point, Assignment& order, Diagnostics& diagnostics);

  /// Returns the number of metrics.
  std::size_t metrics() const { return maximize_.size(); }
  const std::vector<FrontPoint>& points() const { return points_; }  ///< The points, unsorted.
  /// Returns the points from the best to the worst, compared by the first metric, then the second, and further.
  std::vector<FrontPoint> sorted() const;
  /// Returns the points in any order and leaves the front empty.
  std::vector<FrontPoint> take() { return std::move(points_); }
  /// Replaces the points by those of a stored front.
  void restore(std::vector<FrontPoint> points) { points_ = std::move(points); }

 private:
  /// The relation of point A to point B: A dominates B, B dominates A, equal metrics, or each is better in a metric.
  enum class Dominance { better, worse, equal, neither };
  /// Returns the relation of point A to point B.
  Dominance compare(std::span<const double> a, std::span<const double> b) const;

  std::vector<bool> maximize_;      ///< True for a metric whose largest value is the best.
  std::vector<FrontPoint> points_;  ///< The front, unsorted.
  std::size_t last_dominator_ = 0;  ///< Point that dominated last; tried first, because it often dominates the next candidate.
};

}  // namespace opledger
