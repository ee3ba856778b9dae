#pragma once
#include <optional>
#include <string>
#include <vector>

#include "expr/kernel.h"
#include "run/run.h"

/// Some metrics of a run as a compiled program over some of its inputs, for evaluating many candidates that share one structure. What decided the structure is
/// kept as guards: a candidate that differs in one of them needs a structure of its own.
namespace opledger {

class Structure {
 public:
  /// `inputs`: scalar inputs of the accounting (mesh axes, batch sizes, …), varied together; `outputs`: metrics. Empty, with errors, if something has no such name
  /// or can't be evaluated for the run's own values.
  static std::optional<Structure> compile(Run& run, const std::vector<std::string>& inputs, const std::vector<std::string>& outputs, Diagnostics& diagnostics);

  const Kernel& kernel() const { return kernel_; }
  std::size_t guards() const { return guard_values_.size(); }

  /// The run's own values of the inputs, in their order.
  const std::vector<double>& sample() const { return sample_; }

  /// Whether the candidate has this structure. `inputs` in the order given to `compile`.
  bool covers(const std::vector<double>& inputs) const;

 private:
  Structure(Kernel kernel, Kernel guard_kernel) : kernel_(std::move(kernel)), guard_kernel_(std::move(guard_kernel)) {}

  Kernel kernel_, guard_kernel_;
  std::vector<double> guard_values_, sample_;
};

}  // namespace opledger
