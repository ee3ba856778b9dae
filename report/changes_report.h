#pragma once
#include <string>

#include "report/page.h"
#include "report/report.h"
#include "search/change/try_changes.h"

/// The answer of `fit --change`: lines for people, and tables for programs.
namespace opledger {

/// Returns the answer as lines: the run itself, single changes, then pairs of changes. The first screen has the fastest
/// runs that fit and a few that do not; with `page.full`, all trials, their settings, and the reasons of the others.
std::string write_changes_text(const ChangesAnswer& answer, const PageSize& page);

/// Returns the answer as tables `now`, `alone`, `pairs` and `left_out`. `gain` is the change of speed, as a share of
/// that of the run itself. `request` gives the names of the documents.
Report build_report(const ChangesAnswer& answer, const ChangesRequest& request);

}  // namespace opledger
