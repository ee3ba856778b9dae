#pragma once
#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "questions/fit/fit.h"
#include "search/change/change_list.h"

/// The changes that make a run fit into memory, with their speed. Each change of a document is tried alone, then in
/// pairs with another one. The accounting declares under `commands: fit` the growing quantity (`size`), its limit
/// (`capacity`), the number of processors (`ranks`), the speed (`rate`) and, if it has one, the time of a step (`step`).
///
/// The second change of a pair is applied to the run with the first change, so its condition and formulas see that run.
/// A pair is tried if the run itself does not fit and neither change suffices alone.
namespace opledger {

/// A question for changes.
struct ChangesRequest {
  RunRequest run;
  const Document* document = nullptr;       ///< Document of kind `changes`.
  std::size_t jobs = 0;                     ///< Threads at most; 0: the number of processors. Results do not depend on it.
  const std::atomic<bool>* stop = nullptr;  ///< When it becomes true, trials end and the answer is partial. Null: never.
  /// Called after trials, on the calling thread, with the number of finished trials. May be empty.
  std::function<void(std::size_t)> progress = {};
};

/// A run with changes, evaluated.
struct ChangeTrial {
  enum class State {
    fits,
    too_large,
    impossible,    ///< The run can't be prepared, or violates a constraint that does not read the size.
    inapplicable,  ///< The condition does not hold, or has no value.
    idle,          ///< The run has the size and speed of a run with fewer changes.
    untried        ///< The trials were stopped; the answer is partial.
  };
  std::vector<std::size_t> changes;   ///< Positions in ChangesAnswer::changes, in the order of application; none: the run itself.
  std::vector<std::string> settings;  ///< Differences from the run itself; see ChangedRun.
  std::vector<std::string> computed;  ///< See ChangedRun.
  State state = State::untried;
  Value size, capacity, rate, step;  ///< Numbers, also of a run that does not fit; empty without a value.
  std::string reason;                ///< First reason why the run is impossible, inapplicable or idle.

  /// Returns the free memory as a share of the capacity; negative without space, 0 without values.
  double free_share() const;
};

/// Free memory, as a share of the capacity, below which a run is close to its limit.
inline constexpr double kTightShare = 0.05;

/// The answer: all trials.
struct ChangesAnswer {
  std::string accounting, execution;  ///< Names; the execution is empty if the accounting does not use the default one.
  std::string rate_label;             ///< Label of the speed in the accounting's report, for people.
  std::vector<Change> changes;        ///< All changes of the document.
  ChangeTrial now;                    ///< The run itself.
  /// Single changes and pairs whose runs fit or are too large: those that fit first, the fastest first; then by size.
  std::vector<ChangeTrial> alone, pairs;
  /// All other single changes, then pairs whose run is impossible for a reason of their own, in the order of the document.
  std::vector<ChangeTrial> left_out;
  std::size_t tried = 0;  ///< Number of evaluated runs.
  bool partial = false;   ///< `stop` ended the trials.

  /// Returns whether the run, or one with changes, fits.
  bool any_fits() const;
};

/// Tries the changes. Empty, with errors, if the document has an error, the run can't be prepared, or the accounting
/// does not declare the words under `commands: fit`.
std::optional<ChangesAnswer> try_changes(const ChangesRequest& request, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
