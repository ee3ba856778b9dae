#pragma once
#include "cli/command.h"

namespace opledger {

/// Runs `export chakra MODEL EXECUTION SYSTEM -o FOLDER`: writes execution traces of one step into a new folder.
/// Returns a summary; reports errors if the run has no graph or no system, or if the folder exists and is not empty.
Outcome export_chakra(const Options& options, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
