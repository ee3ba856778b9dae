#pragma once
#include <string>
#include <utility>

#include "questions/fit/fit_point.h"
#include "run/run.h"

/// Whole runs that `find` compares.
namespace opledger {

/// A run, evaluated as a whole.
struct Trial {
  FitPoint::State state = FitPoint::State::impossible;
  Value step, memory, capacity;  ///< Seconds of a step, and bytes; empty without a value.
  std::string reason;            ///< First reason why the run does not fit.

  bool fits() const { return state == FitPoint::State::fits; }
  /// Returns a key by which trials are sorted in ascending order: runs that fit, by their seconds; then runs that are
  /// too large, by their bytes; then impossible ones.
  std::pair<int, double> rank() const;
  /// Returns whether the trial is better than another one by more than rounding.
  bool is_better(const Trial& than) const;
  /// Decides by a budget of bytes, in place of the capacity of the processor, whether a possible run fits.
  void judge(double budget);
  /// Returns the speed relative to another trial, minus 1; an empty value if a step is unknown.
  Value gain_over(const Trial& other) const;
};

/// A run with other rules. It fits if its memory is within the budget of the question.
struct RulesTrial : Trial {
  std::string rules;  ///< Names of the rule documents that the question is about; empty: none.
};

/// Returns whether the accounting of a run declares the metrics of a trial. Reports missing ones as errors.
bool declares_trials(const Run& run, Diagnostics& diagnostics);

/// Evaluates a run. `messages` has the messages of its preparation; a run that could not be prepared is null.
Trial evaluate_trial(Run* run, Diagnostics& messages);

}  // namespace opledger
