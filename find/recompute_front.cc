#include "find/recompute_front.h"

#include <algorithm>

#include "find/pareto.h"

namespace opledger {
namespace {

constexpr std::size_t kMostFrontPoints = 2000;              // Points of one front, above which bytes are rounded.
constexpr double kFinestParts = 4096, kCoarsestParts = 64;  // Units into which rounding divides the range of sizes.

/// Returns the exact front of a problem or, if that is too long, one with sizes rounded to ever coarser units.
ParetoFront front_of(const FactorProblem& problem) {
  double range = 0;
  for (const Factor& factor : problem.size) {
    const auto [least, most] = std::minmax_element(factor.entries.begin(), factor.entries.end());
    range += *most - *least;
  }
  ParetoOptions options;
  options.most_points = kMostFrontPoints;
  ParetoFront out = pareto(problem, options);
  for (double parts = kFinestParts; !out.error.empty() && parts >= kCoarsestParts; parts /= 4) {
    options.resolution = range / parts;
    out = pareto(problem, options);
  }
  return out;
}

/// Returns the front of one segment, and its recomputation as a whole.
std::vector<RecomputePoint> points_of(const SegmentCosts& costs, std::string& error) {
  ParetoFront front = front_of(costs.problem);
  error = front.error;
  std::vector<RecomputePoint> out = {{costs.whole_bytes, costs.whole_seconds, {{}, {costs.segment}}}};
  for (const ParetoPoint& point : front.points) {
    RecomputePoint& added = out.emplace_back(RecomputePoint{point.size, point.cost, {}});
    for (std::size_t v = 0; v < costs.nodes.size(); ++v) {
      if (point.states[v] == 1) added.choice.nodes.push_back(costs.nodes[v]);
    }
  }
  return out;
}

}  // namespace

/// Segments share no table, so each has a front of its own. Their sum is a second problem: one variable for each segment,
/// whose states are the points of its front.
std::vector<RecomputePoint> recompute_front(const std::vector<SegmentCosts>& costs, std::string& error) {
  FactorProblem problem;
  std::vector<std::vector<RecomputePoint>> points;
  for (const SegmentCosts& one : costs) {
    points.push_back(points_of(one, error));
    if (!error.empty()) return {};
    const std::size_t v = problem.variables.size();
    problem.variables.push_back({"segment", points.back().size()});
    Factor seconds{"segment", {v}, {}}, bytes = seconds;
    for (const RecomputePoint& point : points.back()) seconds.entries.push_back(point.seconds), bytes.entries.push_back(point.bytes);
    problem.cost.push_back(std::move(seconds));
    problem.size.push_back(std::move(bytes));
  }
  const ParetoFront front = front_of(problem);
  error = front.error;
  std::vector<RecomputePoint> out;
  for (const ParetoPoint& point : front.points) {
    RecomputePoint& sum = out.emplace_back(RecomputePoint{point.size, point.cost, {}});
    for (std::size_t v = 0; v < points.size(); ++v) {
      const LayerRecompute& own = points[v][point.states[v]].choice;
      sum.choice.nodes.insert(sum.choice.nodes.end(), own.nodes.begin(), own.nodes.end());
      sum.choice.whole.insert(sum.choice.whole.end(), own.whole.begin(), own.whole.end());
    }
  }
  return out;
}

std::vector<std::size_t> lower_hull(const std::vector<RecomputePoint>& front) {
  std::vector<std::size_t> out;
  const auto is_above = [&](const RecomputePoint& a, const RecomputePoint& b, const RecomputePoint& c) {
    return (b.seconds - a.seconds) * (c.bytes - a.bytes) >= (c.seconds - a.seconds) * (b.bytes - a.bytes);
  };
  for (std::size_t i = 0; i < front.size(); ++i) {
    while (out.size() > 1 && is_above(front[out[out.size() - 2]], front[out.back()], front[i])) out.pop_back();
    out.push_back(i);
  }
  return out;
}

}  // namespace opledger
