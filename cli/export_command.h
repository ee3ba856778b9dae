#pragma once
#include "cli/command.h"

namespace opledger {

/// `export chakra MODEL EXECUTION SYSTEM -o FOLDER`.
Outcome export_chakra(const Options& options, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
