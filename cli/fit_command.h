#pragma once
#include "cli/command.h"

namespace opledger {

/// Runs `fit … --change`: tries the changes of a document, and reports those that make the run fit. A progress line
/// shows the number of evaluated runs. The outcome is infeasible if the run does not fit and no change suffices. Reports
/// an error if the document can't be found or read, or if options of `--vary` are present.
Outcome fit_changes(const Options& options, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
