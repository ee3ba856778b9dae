#pragma once

#include "questions/rank_groups.h"
#include "report/report.h"

namespace opledger {

/// Groups of ranks as tables of a report, appended to it. People see the first and last groups and ranks of long lists, unless `all`; what programs read has all.
void add_groups(const CommunicatingRanks& ranks, bool all, Report& report);

}  // namespace opledger
