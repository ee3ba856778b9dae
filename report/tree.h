#pragma once
#include <string>
#include <vector>

#include "report/report.h"

/// Rows of a table that stand under others.
namespace opledger {

inline constexpr int kMostDeep = 32;  ///< Rows above a row.

/// Puts every row behind the one that it stands under, otherwise in the order that they have. `parents`: of each row that one, or -1. False: some stand under each other, or
/// too deep.
bool nest(const std::vector<int>& parents, ReportTable& table);

/// In these columns a row with others under it gets their sum; the last row, if `total` is not empty, that of all rows that stand under none.
void add_sums(const std::vector<std::string>& columns, const Value& total, ReportTable& table);

/// What is drawn in front of a row: `├ `, `│ └ `. Of a row under no other: nothing.
std::string branch(const ReportTable& table, std::size_t row);

}  // namespace opledger
