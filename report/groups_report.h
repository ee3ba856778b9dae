#pragma once
#include <deque>

#include "questions/rank_groups.h"
#include "report/report.h"

namespace opledger {

/// Groups of ranks as tables of a report, appended to it. People see the first and last groups and ranks of long lists, unless `all`; what programs read has all.
/// Texts and lists are kept in `texts` and `lists`, which must live as long as the report.
void add_groups(const CommunicatingRanks& ranks, bool all, std::deque<std::string>& texts, std::deque<Record>& lists, Report& report);

}  // namespace opledger
