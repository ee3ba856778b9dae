#include "measured/least_squares.h"

#include <Eigen/Dense>
#include <cmath>
#include <unsupported/Eigen/NonLinearOptimization>

namespace opledger {
namespace {

constexpr double kStep = 1e-5;        ///< Step of forward differences; parameters are scaled, and formulas may have kinks.
constexpr double kConverged = 1e-9;   ///< Relative tolerance of the sum and of the parameters.
constexpr int kEvaluations = 400;     ///< Maximum number of evaluations without derivatives.
constexpr double kUndecided = 1e-10;  ///< Share of the largest eigenvalue below which a direction is undetermined.

/// Adapter for Eigen's solver. Residuals are transformed so that their squares are the soft L1 loss; the Jacobian is
/// computed by forward differences.
class Robust {
 public:
  // Names that the solver requires.
  using Scalar = double;
  using InputType = Eigen::VectorXd;
  using ValueType = Eigen::VectorXd;
  using JacobianType = Eigen::MatrixXd;
  enum { InputsAtCompileTime = Eigen::Dynamic, ValuesAtCompileTime = Eigen::Dynamic };

  Robust(const Residuals& residuals, std::size_t parameters, double scale) : residuals_(residuals), parameters_(parameters), scale_(scale) {}

  int inputs() const { return static_cast<int>(parameters_); }
  int values() const { return static_cast<int>(residuals_.count); }

  int operator()(const InputType& x, ValueType& out) const {
    std::vector<double> r(residuals_.count);
    residuals_.evaluate(std::vector<double>(x.begin(), x.end()), -1, r);
    for (std::size_t i = 0; i < r.size(); ++i) out[static_cast<Eigen::Index>(i)] = softened(r[i]);
    return 0;
  }

  /// Writes the Jacobian by forward differences. Residuals are computed once at `x`; for each parameter, `evaluate`
  /// updates only the residuals that depend on it. The cost is one evaluation for each parameter, plus one.
  int df(const InputType& x, JacobianType& out) const {
    std::vector<double> at(x.begin(), x.end()), base(residuals_.count);
    residuals_.evaluate(at, -1, base);
    for (std::size_t p = 0; p < parameters_; ++p) {
      std::vector<double> r = base;
      at[p] += kStep;
      residuals_.evaluate(at, static_cast<int>(p), r);
      at[p] = x[static_cast<Eigen::Index>(p)];
      for (std::size_t i = 0; i < r.size(); ++i) out(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(p)) = (softened(r[i]) - softened(base[i])) / kStep;
    }
    return 0;
  }

 private:
  /// Returns the square root of the loss, with the sign of the residual.
  double softened(double r) const { return std::copysign(std::sqrt(soft_loss(r, scale_)), r); }

  const Residuals& residuals_;
  const std::size_t parameters_;
  const double scale_;
};

/// Returns the standard deviation of each parameter at a minimum `x`, as in linear regression. The covariance is the
/// variance of the residuals times (J^T J)^-1, where J is the Jacobian; the inverse is formed from eigenvectors. A
/// direction with an eigenvalue below `kUndecided` of the largest is undetermined by the residuals. A parameter with
/// a component along such a direction gets no deviation. Without more residuals than parameters, no parameter gets
/// one.
std::vector<std::optional<double>> deviations(const Robust& robust, const Eigen::VectorXd& x) {
  Eigen::VectorXd f(robust.values());
  Eigen::MatrixXd j(robust.values(), robust.inputs());
  robust(x, f);
  robust.df(x, j);
  const Eigen::Index freedom = j.rows() - j.cols();
  std::vector<std::optional<double>> out(static_cast<std::size_t>(j.cols()));
  if (freedom <= 0) return out;
  const double variance = f.squaredNorm() / static_cast<double>(freedom);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(j.transpose() * j);
  const double least = kUndecided * solver.eigenvalues().maxCoeff();
  for (Eigen::Index p = 0; p < j.cols(); ++p) {
    double sum = 0;
    bool decided = true;
    for (Eigen::Index k = 0; k < j.cols(); ++k) {
      const double component = solver.eigenvectors()(p, k);
      if (solver.eigenvalues()[k] > least)
        sum += component * component / solver.eigenvalues()[k];
      else
        decided = decided && component * component < kUndecided;
    }
    if (decided) out[static_cast<std::size_t>(p)] = std::sqrt(variance * sum);
  }
  return out;
}

}  // namespace

double soft_loss(double residual, double scale) {
  const double z = residual / scale;
  return scale * scale * 2 * z * z / (std::sqrt(1 + z * z) + 1);
}

Minimum least_squares(const Residuals& residuals, const std::vector<double>& start, double scale) {
  if (start.empty()) return {};
  Robust robust(residuals, start.size(), scale);
  Eigen::VectorXd x = Eigen::Map<const Eigen::VectorXd>(start.data(), static_cast<Eigen::Index>(start.size()));
  Eigen::LevenbergMarquardt<Robust> solver(robust);
  solver.parameters.ftol = solver.parameters.xtol = kConverged;
  solver.parameters.maxfev = kEvaluations;
  solver.minimize(x);
  return {std::vector<double>(x.begin(), x.end()), deviations(robust, x)};
}

}  // namespace opledger
