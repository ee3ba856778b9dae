#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "search/space/assignment.h"

/// The Pareto front of candidates over some metrics: those that no other candidate equals or dominates in all of them and dominates in one.
namespace opledger {

struct FrontPoint {
  std::vector<double> metrics;
  std::vector<double> values;  ///< By axis: the first candidate, in the order of the space, that has these metrics.
  std::uint64_t alike = 1;     ///< Candidates that have them.
};

class Front {
 public:
  Front() = default;
  /// `most`: by metric, whether the largest is the best.
  explicit Front(std::vector<bool> maximize) : maximize_(std::move(maximize)) {}

  /// Whether some point is better in one metric and as good in the others.
  bool dominates(std::span<const double> metrics);
  /// What another point dominates is dropped.
  void add(FrontPoint point, Assignment& order, Diagnostics& diagnostics);

  std::size_t metrics() const { return maximize_.size(); }
  const std::vector<FrontPoint>& points() const { return points_; }
  /// The best of the first metric first; of equals, that of the second …
  std::vector<FrontPoint> sorted() const;
  std::vector<FrontPoint> take() { return std::move(points_); }
  void restore(std::vector<FrontPoint> points) { points_ = std::move(points); }

 private:
  enum class Dominance { better, worse, equal, neither };
  Dominance compare(std::span<const double> a, std::span<const double> b) const;

  std::vector<bool> maximize_;
  std::vector<FrontPoint> points_;
  std::size_t last_dominator_ = 0;  ///< The point that beat one last: it will beat more.
};

}  // namespace opledger
