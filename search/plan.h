#pragma once
#include <string>
#include <vector>

#include "expr/staged_kernel.h"
#include "run/structure.h"
#include "search/stops.h"

/// How the candidates of one structure are evaluated: which axes are fixed, which make rows and which columns, so that what depends on few axes is
/// computed seldom.
namespace opledger {

/// The free axes of a space are the inputs of its tapes, in order: those that are not derived.
struct FreeAxes {
  explicit FreeAxes(const Space& space);
  /// Their values. `values`: by axis.
  std::vector<double> of(const std::vector<double>& values) const;

  std::vector<std::size_t> axes;  ///< By input.
  std::vector<int> input_of;      ///< By axis; -1: derived.
};

/// What is asked of every candidate: the values of free axes decide those of derived ones. Metrics are left to be named.
Question question_of(const Space& space);

class Plan {
 public:
  /// `fixed`: axes that have a value; `sizes`: by axis, about how many values it has.
  Plan(const Trace& trace, std::size_t metrics, const Space& space, const Stops& stops, AxisSet fixed, const std::vector<double>& sizes);

  AxisSet columns() const { return columns_; }
  /// Axes that get their values after rows: columns, and fixed ones whose domains read columns.
  AxisSet late() const { return late_; }
  const StagedKernel& kernel() const { return *kernel_; }
  /// Outputs: the checks in their order, then the metrics.
  std::size_t checks() const { return checks_; }
  /// So many checks, the first, need nothing of rows: the sieve computes them, for columns alone.
  std::size_t sieved() const { return sieve_->outputs(); }
  const Kernel& sieve() const { return *sieve_; }

 private:
  AxisSet columns_ = 0, late_ = 0;
  std::size_t checks_ = 0;
  std::optional<StagedKernel> kernel_;
  std::optional<Kernel> sieve_;
};

/// The axes on which a symbol of a trace depends.
AxisSet axes_of(const Trace& trace, const FreeAxes& free, const Scalar& symbol);

}  // namespace opledger
