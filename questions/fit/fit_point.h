#pragma once
#include <set>
#include <string>
#include <vector>

#include "questions/fit/fit.h"

/// Evaluation of one candidate of `fit`: whether it fits, and the reasons why not.
namespace opledger {

/// Words under `commands: fit` of an accounting that every question needs, in the order of the members of FitPoint.
inline constexpr const char* kFitRoles[] = {"size", "capacity", "ranks"};

/// Returns whether the accounting of a run declares all these words under `commands: fit`. Reports each other word as an
/// error.
bool declares(const Run& run, const std::vector<std::string>& words, Diagnostics& diagnostics);

/// The reasons of constraints that read the size, as the accounting declares it under `commands: fit`.
class SizeReasons {
 public:
  explicit SizeReasons(const Program& program);

  /// Returns whether a violation is counted under a reason of a constraint that reads the size.
  bool has(const std::string& kind) const;

 private:
  std::set<std::string> reasons_;
};

/// Adds a violated constraint with its message and reason to the reasons of a candidate.
void add_reason(const std::string& message, const std::string& reason, bool of_size, FitPoint& point);

/// Adds the errors of an evaluation to the reasons of a candidate.
void add_errors(const Diagnostics& diagnostics, FitPoint& point);

/// Sets `state` and `over` of a candidate by its reasons, size and capacity.
void classify(FitPoint& point);

/// Evaluates the violated constraints, size, capacity and number of ranks of a run. `diagnostics` has the messages of
/// its preparation. Without a run (null), the errors are the reasons. `values` stays empty.
FitPoint evaluate_point(Run* run, Diagnostics& diagnostics);

}  // namespace opledger
