#pragma once
#include "find/find_recompute.h"
#include "report/report.h"

/// The answer of `find --find recompute`.
namespace opledger {

/// Returns the answer as tables: `runs` (the run itself, the best shipped document, the found one), `lines` (the lines of
/// the found document, with the seconds and bytes of each) and `search`. `request` gives the names of the documents.
Report build_report(const FoundRecompute& found, const RecomputeRequest& request);

/// Returns the lines of the found document, with the seconds and bytes of each.
ReportTable recompute_lines(const FoundRecompute& found, ValueOwners& kept);

}  // namespace opledger
