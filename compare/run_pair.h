#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "compare/translated_run.h"

namespace opledger {

/// Settings as in `--set` and `--against`.
using Settings = std::vector<std::pair<std::string, std::string>>;

/// Two runs to compare, with their owners.
struct RunPair {
  std::unique_ptr<Run> own[2];                ///< Runs prepared from documents.
  std::unique_ptr<TranslatedRun> translated;  ///< Run translated from the other one, if the accountings differ.
  Run* first = nullptr;                       ///< Null, with errors, if the run can't be prepared.
  Run* second = nullptr;
};

/// Returns the request with changed documents (`model`, `execution`, `system`, `accounting`) or settings.
RunRequest changed(RunRequest request, const Settings& against);

/// Prepares two runs. The overrides of `second` begin with those of `first`. If only the accounting differs and one can
/// translate the other's run, that run is translated.
RunPair prepare_pair(const RunRequest& first, const RunRequest& second, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
