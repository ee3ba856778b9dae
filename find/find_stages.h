#pragma once
#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "find/trial.h"

/// Finds the layers of each pipeline stage with which a run is fastest. The accounting states the costs of layers and
/// stages in its section `find`. A dynamic program divides the layers by these costs; the accounting then evaluates the
/// division and its neighbors as whole runs, so that the answer is never slower than the run itself.
namespace opledger {

/// A question for the layers of each stage.
struct StagesRequest {
  RunRequest run;
  std::optional<double> budget;             ///< Bytes of a rank, infinity for no limit; empty: the capacity that the accounting states.
  const std::atomic<bool>* stop = nullptr;  ///< When it becomes true, trials end and the answer is partial. Null: never.
  /// Called before each trial with the number of earlier trials. May be empty.
  std::function<void(std::size_t)> progress = {};
};

/// A division of the layers, evaluated as a whole run.
struct StagesTrial : Trial {
  std::vector<long long> layers;  ///< Layers of each stage; with several chunks on a stage, of each chunk.
  std::vector<Value> pace;        ///< Seconds of each stage for one microbatch.
};

/// The answer.
struct FoundStages {
  std::string accounting, execution;                          ///< Names; the execution is empty if the accounting does not use the default one.
  StagesTrial given, found;                                   ///< The run itself and the best trial; equal if no division is better.
  RunRequest run;                                             ///< Request of the found run.
  std::vector<std::pair<std::string, std::string>> settings;  ///< Inputs that make the found run of the given one, with values; empty if no division is better.
  long long stages = 1, chunks = 1;                           ///< Number of stages, and of chunks on each.
  double estimate = 0;                                        ///< Seconds of the slowest stage or chunk by the costs of single layers.
  std::size_t tried = 0;                                      ///< Number of evaluated runs.
  bool partial = false;                                       ///< `stop` ended the trials.
};

/// Finds the layers of each stage. Empty, with errors, if the run can't be prepared, has one stage or no graph, or its
/// accounting has no section `find`.
std::optional<FoundStages> find_stages(const StagesRequest& request, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
