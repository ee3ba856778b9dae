#pragma once

#include "play/timeline.h"
#include "report/report.h"

namespace opledger {

/// Builds the metrics that the accounting counts of a step, and the step as it is played: totals of each stage and, for programs, every work. Texts of values
/// belong to the report. Empty, with errors, if one of the metrics is unknown or has no value.
std::optional<Report> build_report(const Timeline& timeline, const RunRequest& request, Run& run, Diagnostics& diagnostics);

}  // namespace opledger
