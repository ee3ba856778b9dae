#pragma once

#include "questions/rank_groups.h"
#include "report/report.h"

namespace opledger {

/// Groups of ranks as tables of a report, appended to it. People see the first and last groups and ranks of long lists, unless `all`; what programs read,
/// `complete`, has all.
void add_groups(const CommunicatingRanks& ranks, bool all, bool complete, Report& report);

/// `write_json` of a report with all of them, which has been given the tables before them: without values of half a million ranks beside the text.
std::string write_groups_json(const CommunicatingRanks& ranks, const Report& report);

}  // namespace opledger
