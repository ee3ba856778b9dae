#pragma once
#include "find/find_placements.h"
#include "report/report.h"

/// The report of found placements.
namespace opledger {

/// Returns tables of the compared runs, and of the lines of the found document.
Report build_report(const FoundPlacements& found, const PlacementsRequest& request);

/// Returns the lines of the found document, with the seconds that the next best placement of a node costs.
ReportTable placement_lines(const FoundPlacements& found, ValueOwners& kept);

}  // namespace opledger
