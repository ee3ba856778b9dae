#include "expr/curve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace opledger {

/// Finds the first threshold that is at most x, in linear time. NaN, and a curve without steps, give NaN.
double Curve::step(double x) const {
  if (steps.empty() || std::isnan(x)) return std::numeric_limits<double>::quiet_NaN();
  const auto step = std::find_if(steps.begin(), steps.end(), [x](const auto& s) { return s.first <= x; });
  return step == steps.end() ? steps.back().second : step->second;
}

/// Inverse distance weighting (Shepard 1968) over the kNearest nearest points, with the square of the distance in log2
/// space. `points` has a row for each point: log2 of its coordinates, then its value. The nearest points are selected by
/// insertion into a sorted array of kNearest entries. The cost is linear in the number of points. Without points: 0.
double Curve::near(const double* at) const {
  constexpr double kTouching = 1e-3;                             // Added to every distance, in factors of two, so weights stay finite.
  constexpr double kLeast = std::numeric_limits<double>::min();  // Smallest normal double, because 0 has no logarithm.
  std::array<double, kMaxCoordinates> x{};
  for (std::size_t c = 0; c < coordinates; ++c) x[c] = std::log2(std::max(at[c], kLeast));
  std::array<std::pair<double, double>, kNearest> nearest;  // (squared distance, value), nearest first
  std::size_t found = 0;
  for (std::size_t p = 0; p + coordinates < points.size(); p += coordinates + 1) {
    double distance = 0;
    for (std::size_t c = 0; c < coordinates; ++c) distance += (points[p + c] - x[c]) * (points[p + c] - x[c]);
    if (found == kNearest && !(distance < nearest[found - 1].first)) continue;
    std::size_t place = found < kNearest ? found++ : found - 1;
    for (; place > 0 && distance < nearest[place - 1].first; --place) nearest[place] = nearest[place - 1];
    nearest[place] = {distance, points[p + coordinates]};
  }
  double sum = 0, weights = 0;
  for (std::size_t n = 0; n < found; ++n) {
    const double distance = std::sqrt(nearest[n].first) + kTouching, weight = 1 / (distance * distance);
    sum += weight * nearest[n].second;
    weights += weight;
  }
  return found == 0 ? 0 : sum / weights;
}

}  // namespace opledger
