#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "compare/translated_run.h"

/// Preparation of the two runs that a comparison needs: `changed` makes the second request from the first,
/// `prepare_pair` prepares both.
namespace opledger {

/// Settings as in `--set` and `--against`.
using Settings = std::vector<std::pair<std::string, std::string>>;

/// Two runs to compare, and the objects that own them. Empty pointers mean that a run could not be prepared.
struct RunPair {
  std::unique_ptr<Run> own[2];                ///< Runs prepared from documents; only one if the other run is translated.
  std::unique_ptr<TranslatedRun> translated;  ///< Run translated from the other one, if the accountings differ.
  Run* first = nullptr;                       ///< Null, with errors, if the run can't be prepared or translated.
  Run* second = nullptr;                      ///< Null, with errors, if the run can't be prepared or translated.
};

/// Returns the request with changes: the keys `model`, `execution`, `system` and `accounting` replace a document,
/// every other key is a setting.
RunRequest changed(RunRequest request, const Settings& against);

/// Prepares two runs. The overrides of `second` must begin with those of `first`. If the requests have equal documents
/// and different accountings, one run is prepared and translated to the other accounting. Otherwise both are prepared
/// from documents, the second only if the first succeeds. Reports errors if a run fails; its pointer in the result is
/// then null.
RunPair prepare_pair(const RunRequest& first, const RunRequest& second, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
