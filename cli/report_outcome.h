#pragma once
#include "cli/command.h"
#include "report/report.h"

namespace opledger {

/// Returns whether `--output` names a folder for several files: the name ends in `/`, or the folder exists.
bool names_folder(const std::string& output);

/// Writes a report in the format of the options: one text, or one CSV file for each table in a folder. Warns of
/// omitted rows in a table that is written alone.
Outcome report_outcome(const Report& report, const Options& options, Diagnostics& diagnostics);

}  // namespace opledger
