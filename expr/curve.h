#pragma once
#include <cstddef>
#include <utility>
#include <vector>

namespace opledger {

/// A function of numbers that a document states, by steps or by scattered points.
struct Curve {
  /// Over one number: the value of the first threshold that is at most x; thresholds fall. Below the last one: the last value.
  std::vector<std::pair<double, double>> steps = {};  ///< (threshold, value)

  /// In place of steps, over so many numbers: the mean of the values of the nearest points, by distance in the logarithms of the numbers to base 2. No points: 0.
  std::size_t coordinates = 0;
  std::vector<double> points = {};  ///< Of each the logarithms, then its value.

  static constexpr std::size_t kMaxCoordinates = 3;  ///< Operands of an instruction.
  static constexpr std::size_t kNearest = 8;         ///< Points that count.

  std::size_t arguments() const { return coordinates == 0 ? 1 : coordinates; }
  double operator()(double x) const { return (*this)(&x); }
  double operator()(const double* at) const { return coordinates == 0 ? step(*at) : near(at); }
  friend bool operator==(const Curve&, const Curve&) = default;

 private:
  double step(double x) const;
  double near(const double* at) const;
};

}  // namespace opledger
