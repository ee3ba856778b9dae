#pragma once
#include <optional>

#include "report/report.h"

/// A table of an accounting, evaluated in a run.
namespace opledger {

/// Empty: it needs what there is none of (a system), or, with errors, can't be evaluated. What its texts and lists point to is added to `kept`.
std::optional<ReportTable> build_table(const Table& table, Run& run, bool for_people, Kept& kept, Diagnostics& diagnostics, Diagnostics& messages);

}  // namespace opledger
