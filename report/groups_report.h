#pragma once

#include "questions/rank_groups.h"
#include "report/report.h"

namespace opledger {

/// Appends the groups of communicating ranks to a report. Long lists are shortened to their ends, unless `all`; with
/// `complete`, for programs, lists are unabridged.
void add_groups(const CommunicatingRanks& ranks, bool all, bool complete, Report& report);

/// Returns `write_json` of `report` (tables that precede the groups) and the complete groups. Ranks are written
/// directly as text, without a Value for each of up to 500,000 ranks.
std::string write_groups_json(const CommunicatingRanks& ranks, const Report& report);

}  // namespace opledger
