#include "measured/least_squares.h"

#include <doctest/doctest.h>

#include <cmath>

namespace opledger {
namespace {

/// Fits a line through points with one outlier.
Minimum line(double scale, double outlier) {
  const auto evaluate = [outlier](const std::vector<double>& p, int, std::vector<double>& out) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = p[0] + p[1] * static_cast<double>(i) - (3 + 2 * static_cast<double>(i)) - (i == 4 ? outlier : 0);
  };
  return least_squares({20, evaluate}, {0, 0}, scale);
}

}  // namespace

TEST_CASE("least squares: a line is found exactly, and a far point counts as its distance") {
  const Minimum exact = line(1, 0);
  CHECK(exact.parameters[0] == doctest::Approx(3));
  CHECK(exact.parameters[1] == doctest::Approx(2));
  const Minimum plain = line(1e6, 100), robust = line(0.1, 100);
  CHECK(std::fabs(plain.parameters[0] - 3) > 5);
  CHECK(std::fabs(robust.parameters[0] - 3) < 0.2);
  CHECK(robust.deviations[0].has_value());
}

TEST_CASE("least squares: parameters that residuals do not distinguish have no deviation") {
  const auto evaluate = [](const std::vector<double>& p, int, std::vector<double>& out) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = p[0] + p[1] - 1 + 0.1 * std::sin(static_cast<double>(i));
  };
  const Minimum found = least_squares({8, evaluate}, {0, 0}, 1);
  CHECK(found.parameters[0] + found.parameters[1] == doctest::Approx(0.9).epsilon(0.1));
  CHECK(!found.deviations[0].has_value());
  CHECK(least_squares({0, evaluate}, {}, 1).parameters.empty());
}

}  // namespace opledger
