#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "search/space/assignment.h"

/// The Pareto front of candidates over some metrics: those that no other candidate equals or beats in all of them and beats in one.
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
  explicit Front(std::vector<bool> most) : most_(std::move(most)) {}

  /// Whether some point is better in one metric and as good in the others.
  bool beats(std::span<const double> metrics);
  /// What another point beats is dropped.
  void add(FrontPoint point, Assignment& order, Diagnostics& diagnostics);

  std::size_t metrics() const { return most_.size(); }
  const std::vector<FrontPoint>& points() const { return points_; }
  /// The best of the first metric first; of equals, that of the second …
  std::vector<FrontPoint> sorted() const;
  std::vector<FrontPoint> take() { return std::move(points_); }
  void restore(std::vector<FrontPoint> points) { points_ = std::move(points); }

 private:
  enum class Against { better, worse, equal, neither };
  Against compare(std::span<const double> a, std::span<const double> b) const;

  std::vector<bool> most_;
  std::vector<FrontPoint> points_;
  std::size_t last_ = 0;  ///< The point that beat one last: it will beat more.
};

}  // namespace opledger
