#pragma once
#include "compare/comparison.h"
#include "report/report.h"

namespace opledger {

/// One run in several accountings: quantities by accounting, why they differ, and what each was asked with. Texts of values belong to the
/// runs.
Report build_report(const RunComparison& comparison, const Run& run);

/// What is said of a difference that no accounting gives a reason for.
inline constexpr const char* kUnexplained = "unexplained";

}  // namespace opledger
