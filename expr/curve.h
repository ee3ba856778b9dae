#pragma once
#include <cstddef>
#include <utility>
#include <vector>

namespace opledger {

/// A function of one to three numbers that a document states as steps or as scattered points. Systems describe
/// efficiencies of processors and networks by curves.
struct Curve {
  /// Step function over one number: the value of the first threshold that is at most x. Thresholds fall. Numbers below
  /// the last threshold get the last value.
  std::vector<std::pair<double, double>> steps = {};  ///< (threshold, value)

  /// Number of arguments of scattered points; 0: the curve has steps. The result is a weighted mean of the nearest
  /// points. Distances are Euclidean between base-2 logarithms of the arguments. A curve without points is 0
  /// everywhere.
  std::size_t coordinates = 0;
  std::vector<double> points = {};  ///< Flat rows, one for each point: base-2 logarithms of the coordinates, then the value.

  static constexpr std::size_t kMaxCoordinates = 3;  ///< Maximum number of arguments, equal to the operands of an instruction.
  static constexpr std::size_t kNearest = 8;         ///< Number of nearest points in the mean.

  /// Returns the number of arguments.
  std::size_t arguments() const { return coordinates == 0 ? 1 : coordinates; }
  /// Returns the value at one number, or at `arguments()` numbers. NaN gives NaN for a step function.
  double operator()(double x) const { return (*this)(&x); }
  double operator()(const double* at) const { return coordinates == 0 ? step(*at) : near(at); }
  friend bool operator==(const Curve&, const Curve&) = default;

 private:
  double step(double x) const;
  double near(const double* at) const;
};

}  // namespace opledger
