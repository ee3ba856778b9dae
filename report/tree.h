#pragma once
#include <functional>
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

/// Puts every row below a new one that has the title of its group in the first column and nothing in the others, groups in the order of `titles`. `groups`: of each row a
/// position there. Names in the first column lose the title and a dot at the beginning of a word; what is left of them is kept by `kept`.
void head(const std::vector<std::string>& titles, const std::vector<std::size_t>& groups, const std::function<Value(std::string)>& kept, ReportTable& table);

/// What is drawn in front of a row: `├ `, `│ └ `; below a row that only heads it, blanks. Of a row under no other: nothing.
std::string branch(const ReportTable& table, std::size_t row);

}  // namespace opledger
