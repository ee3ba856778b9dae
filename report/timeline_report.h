#pragma once

#include "play/timeline.h"
#include "report/report.h"

namespace opledger {

/// Returns the metrics of the step and its simulation: totals, a table of stages, and tables of single tasks, messages,
/// memory over the step, resident memory and operators. Only machine-readable formats, such as CSV, print the tables after
/// the first. The report owns its texts.
/// Returns nothing, with errors, if a metric is unknown or has no value.
std::optional<Report> build_report(const Timeline& timeline, const RunRequest& request, Run& run, Diagnostics& diagnostics);

}  // namespace opledger
