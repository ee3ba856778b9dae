#pragma once
#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "find/trial.h"

/// Finds the nodes whose recomputation in backward makes a run fit its memory at the least cost. The accounting states
/// the costs in its section `find`. An exact front of bytes and seconds gives candidates; whole runs decide among them,
/// mixes of two over the layers, and the rule documents for recomputation that exist. The answer is therefore never
/// slower than the best of these.
namespace opledger {

/// A question for recomputed nodes.
struct RecomputeRequest {
  RunRequest run;
  std::optional<double> budget;             ///< Bytes of a rank, infinity for no limit; empty: the capacity that the accounting states.
  std::vector<std::string> baselines;       ///< Rule documents to compare with; empty: all that do nothing but recompute.
  const std::atomic<bool>* stop = nullptr;  ///< When it becomes true, trials end and the answer is partial. Null: never.
  /// Called before each trial with the number of earlier trials. May be empty.
  std::function<void(std::size_t)> progress = {};
};

/// A line of the found document.
struct FoundLine {
  std::string names, part;  ///< See RecomputeLine.
  Value costs, saves;       ///< Seconds of a step and bytes that the run without the line would not have; empty without a value.
};

/// The answer.
struct FoundRecompute {
  std::string accounting, execution;  ///< Names; the execution is empty if the accounting does not use the default one.
  Value budget;                       ///< Bytes.
  RulesTrial given, found;            ///< The run itself, and the best trial.
  std::string problem;                ///< Reason why nothing fits; names the least memory and its rules. Empty if the found run fits.
  std::optional<RulesTrial> shipped;  ///< The best rule document for recomputation; empty if none exists.
  std::vector<std::string> replaced;  ///< Rule documents of the run that `document` replaces.
  RunRequest run;                     ///< Request of the found run, to which `document` must be added.
  std::string document;               ///< The best rules as a document; empty if the given run is best.
  std::vector<FoundLine> lines;       ///< Lines of the document; empty if it is a copy of another one.
  long long layers = 0, some = 0;     ///< Number of repeated layers, and of those in the part `some` of the document.
  std::size_t points = 0;             ///< Number of points on the front.
  std::size_t tried = 0;              ///< Number of evaluated runs.
  bool partial = false;               ///< `stop` ended the trials.
};

/// Finds recomputed nodes. Empty, with errors, if a run can't be prepared or its accounting states no costs.
std::optional<FoundRecompute> find_recompute(const RecomputeRequest& request, Library& library, Diagnostics& diagnostics);

/// Returns whether a rule document does nothing but recompute, so that other rules can replace it.
bool only_recomputes(const Document& rules);

}  // namespace opledger
