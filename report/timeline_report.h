#pragma once

#include "play/timeline.h"
#include "report/report.h"

namespace opledger {

/// Returns the step's metrics and the simulated step: totals by stage and, for programs, each task. The report owns its
/// texts. Returns nothing, with errors, if a metric is unknown or has no value.
std::optional<Report> build_report(const Timeline& timeline, const RunRequest& request, Run& run, Diagnostics& diagnostics);

}  // namespace opledger
