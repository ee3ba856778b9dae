#pragma once
#include "find/find_together.h"
#include "report/report.h"

/// The answer of `find` for several parts.
namespace opledger {

/// Returns the answer as tables: `runs` (the run itself, and the best run after each question), and for each part the
/// lines or settings of its answer. `request` gives the names of the documents.
Report build_report(const FoundTogether& found, const TogetherRequest& request);

}  // namespace opledger
