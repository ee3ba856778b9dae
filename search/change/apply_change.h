#pragma once
#include <optional>
#include <string>
#include <vector>

#include "run/run.h"
#include "search/change/change_list.h"

/// Application of one change to a run that is prepared already.
namespace opledger {

/// The request of a changed run, and the differences from the run before it: `seq=4096`, `rules + NAME`, `rules - NAME`,
/// `system=NAME`, `stack=NAME`.
struct ChangedRun {
  RunRequest request;
  std::vector<std::string> settings;
  std::vector<std::string> computed;  ///< Settings with a value by a formula, or with a system chosen from a list. They are also in `settings`.
};

/// The result of applying a change.
struct AppliedChange {
  bool applies = false;          ///< The condition holds. False, too, if it has no value in the run.
  std::vector<ChangedRun> runs;  ///< One run; for a change with several systems, one for each system, in order.
  bool must_grow = false;        ///< The change names several systems: only those with more memory are wanted.
  std::string reason;            ///< Reason without a run.
};

/// Applies a change to the request of `before`. Condition and formulas are evaluated in this run. Documents are looked up
/// in `library`. A failure is a reason, never an error: a change need not suit every run.
AppliedChange apply_change(const Change& change, Run& before, Library& library);

/// Returns a text that is equal for requests of the same run: same documents, settings and rules, in any order.
std::string request_key(const RunRequest& request);

}  // namespace opledger
