#pragma once

#include "questions/timeline.h"
#include "report/report.h"

namespace opledger {

/// What each stage does in a played step, in sums; and, for programs, every work. Texts of values belong to the report.
Report build_report(const Timeline& timeline, const RunRequest& request, const Run& run);

}  // namespace opledger
