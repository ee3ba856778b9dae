#pragma once
#include "cli/command.h"
#include "report/report.h"

namespace opledger {

/// Whether files are to be written into it: its name ends in `/`, or it is a folder.
bool names_folder(const std::string& output);

/// A report as the command line wants it written: as a whole, or as CSV in a folder, a file for each of its tables. What is left out of a table that stands alone is told.
Outcome written(const Report& report, const Options& options, Diagnostics& diagnostics);

}  // namespace opledger
