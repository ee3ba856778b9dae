#pragma once

#include "questions/rank_groups.h"
#include "report/report.h"

namespace opledger {

/// Appends the groups of communicating ranks to a report: the table `axes` of all sets of axes, and a table of groups
/// for each set. These tables are for people, and show only the first and last items of long lists unless `all`. With
/// `complete`, a table `groups` for programs follows, with every rank of every group. The report owns new texts.
void add_groups(const CommunicatingRanks& ranks, bool all, bool complete, Report& report);

/// Returns `write_json` of `report` (tables that precede the groups) and the complete groups. Ranks are written
/// directly as text, without a Value for each rank.
std::string write_groups_json(const CommunicatingRanks& ranks, const Report& report);

}  // namespace opledger
