#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

/// Robust nonlinear least squares. Only this file depends on the solver (Eigen's Levenberg-Marquardt, after MINPACK).
namespace opledger {

/// Residuals as a function of the parameters.
struct Residuals {
  std::size_t count = 0;  ///< Number of residuals; at least the number of parameters.
  /// Writes the residuals, which must be finite. `moved` is -1 to compute all residuals. Otherwise only the parameter
  /// `moved` differs from the last call with -1, whose residuals are in `out`. Residuals independent of it may stay.
  std::function<void(const std::vector<double>& parameters, int moved, std::vector<double>& out)> evaluate;
};

/// A solution with error estimates.
struct Minimum {
  std::vector<double> parameters;  ///< Parameters at the minimum, in the order of the start.
  /// Standard deviations of the parameters, estimated from the remaining residuals; empty if the residuals do not
  /// determine the parameter.
  std::vector<std::optional<double>> deviations;
};

/// Returns the soft L1 loss of a residual: `scale`^2 rho((r/scale)^2) with rho(z) = 2 (sqrt(1 + z) - 1). The loss is
/// quadratic below `scale` and linear above.
double soft_loss(double residual, double scale);

/// Minimizes the sum of soft L1 losses with the given `scale` from `start`, by the Levenberg-Marquardt method.
/// Parameters should be scaled so that a step of 1 is large. Returns the best parameters after a bounded number of
/// evaluations, and no parameters for an empty start.
Minimum least_squares(const Residuals& residuals, const std::vector<double>& start, double scale);

}  // namespace opledger
