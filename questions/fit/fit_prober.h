#pragma once
#include <map>
#include <string>
#include <vector>

#include "questions/fit/fit_point.h"
#include "run/compiled_program.h"

/// Evaluation of candidates of `fit`, with memoized answers. A candidate is a complete run. If only inputs of the
/// accounting vary, a compiled program gives the same figures at about a hundredth of the cost.
namespace opledger {

/// Evaluates candidates and remembers their answers.
class FitProber {
 public:
  /// `compiled`: use compiled programs, which requires that all keys are inputs of the accounting.
  FitProber(const FitRequest& request, std::vector<std::string> keys, bool compiled, Library& library)
      : request_(request), keys_(std::move(keys)), compiled_(compiled), library_(library) {}

  /// Returns the answer for a candidate, one value for each key; evaluates it at the first request. The reference stays
  /// valid for the life of the prober.
  const FitPoint& at(const std::vector<double>& values);
  const FitPoint& at(double value) { return at(std::vector<double>{value}); }

  /// Evaluates a candidate as a complete run, which reports all reasons and not only the first.
  FitPoint whole(const std::vector<double>& values) { return run(values); }

  /// Returns the value of `name`, rounded down, in a run whose key has `value`. Empty if the name has no number there.
  std::optional<double> number(double value, const std::string& name);

  /// Returns the number of candidates that `at` evaluated.
  int tried() const { return static_cast<int>(known_.size()); }
  const std::vector<std::string>& keys() const { return keys_; }

 private:
  /// Evaluates a candidate as a complete run.
  FitPoint run(const std::vector<double>& values);
  /// Evaluates a candidate by a compiled program, which gives only the first violated constraint.
  FitPoint compiled(const std::vector<double>& values);
  /// Returns the request with the candidate's values as overrides.
  RunRequest with(const std::vector<double>& values) const;

  const FitRequest& request_;
  std::vector<std::string> keys_;  ///< Varied parameters, inputs or axes.
  bool compiled_;                  ///< True while candidates are evaluated by compiled programs.
  Library& library_;
  std::unique_ptr<Run> base_;                      ///< Run of the compiled programs; null until the first candidate.
  std::optional<ProgramCache> programs_;           ///< Compiled programs of `base_`.
  std::map<std::vector<double>, FitPoint> known_;  ///< Answers by candidate.
  std::optional<SizeReasons> size_reasons_;        ///< Of the program of `base_`; set with `programs_`.
};

}  // namespace opledger
