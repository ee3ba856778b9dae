#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "compare/restated.h"

namespace opledger {

/// Keys and their values, as `--set` and `--against` take them.
using Settings = std::vector<std::pair<std::string, std::string>>;

/// Two runs that are compared, and what keeps them.
struct RunPair {
  std::unique_ptr<Run> own[2];         ///< Those that were prepared from documents.
  std::unique_ptr<Restated> restated;  ///< The one that was asked as its accounting says.
  Run* first = nullptr;                ///< Null, with errors: it can't be prepared.
  Run* second = nullptr;
};

/// The run with what `against` says: `model`, `execution`, `system`, `accounting`, or a key and its value.
RunRequest changed(RunRequest request, const Settings& against);

/// `second` has the overrides of `first`, then more.
RunPair prepare_pair(const RunRequest& first, const RunRequest& second, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
