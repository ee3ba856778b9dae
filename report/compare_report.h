#pragma once
#include "compare/comparison.h"
#include "report/report.h"

namespace opledger {

/// Returns a run in several accountings as tables: quantities, reasons for differences, and the inputs of each
/// accounting. `run` is the run in its own accounting, with which the others are compared. Values point into the runs,
/// which must outlive the report.
Report build_report(const RunComparison& comparison, const Run& run);

/// Reason in the report for a difference that no accounting explains.
inline constexpr const char* kUnexplained = "unexplained";

}  // namespace opledger
