#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

/// Parameters whose residuals are smallest. The only place that knows the solver (Eigen's Levenberg-Marquardt, after MINPACK).
namespace opledger {

struct Residuals {
  std::size_t count = 0;  ///< At least as many as there are parameters.
  /// Writes the residuals of these parameters. `moved`: the one that alone differs from those of the last call with -1, whose residuals `out` holds: what does not depend
  /// on it may stay. All must be finite.
  std::function<void(const std::vector<double>& parameters, int moved, std::vector<double>& out)> evaluate;
};

struct Minimum {
  std::vector<double> parameters;
  /// Standard deviations of the parameters, from what residuals are left; empty: the residuals do not tell the parameter from others.
  std::vector<std::optional<double>> deviations;
};

/// What a residual costs: `scale`^2 rho((r/scale)^2) with rho(z) = 2 (sqrt(1 + z) - 1), soft L1. Residuals beyond `scale` count as their size, not as its square.
double soft_loss(double residual, double scale);

/// The least sum of these losses. Parameters should be scaled so that steps of 1 are large ones.
Minimum least_squares(const Residuals& residuals, const std::vector<double>& start, double scale);

}  // namespace opledger
