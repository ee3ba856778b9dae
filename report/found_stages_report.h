#pragma once
#include "find/find_stages.h"
#include "report/report.h"

/// The answer of `find`.
namespace opledger {

/// Returns the answer as tables: `divisions` (the run itself and the found run), `stages` (layers and seconds of each
/// stage before and after), `settings` (the inputs that make the found run) and `search`. `request` gives the names of the documents.
Report build_report(const FoundStages& found, const StagesRequest& request);

/// Returns the inputs that make the found run.
ReportTable stage_settings(const FoundStages& found, ValueOwners& kept);

}  // namespace opledger
