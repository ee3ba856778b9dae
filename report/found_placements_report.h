#pragma once
#include "find/find_placements.h"
#include "report/report.h"

/// The report of found placements.
namespace opledger {

/// Returns tables of the compared runs, and of the lines of the found document.
Report build_report(const FoundPlacements& found, const PlacementsRequest& request);

}  // namespace opledger
