#pragma once
#include <functional>
#include <string>
#include <vector>

#include "report/report.h"

/// Tables whose rows form a tree.
namespace opledger {

inline constexpr int kMaxDepth = 32;  ///< Maximum depth of the tree.

/// Moves each row behind its parent, keeps the order of siblings, and sets ReportTable::parents. `parents`: index of
/// each row's parent, or -1. Returns false if the parents form a cycle or exceed kMaxDepth; such rows are then missing.
bool nest(const std::vector<int>& parents, ReportTable& table);

/// Replaces the values of inner rows in `columns` by the sums over their children. A nonempty `total` labels
/// a last row with the sums over the roots.
void add_sums(const std::vector<std::string>& columns, const Value& total, ReportTable& table);

/// Adds a heading row for each group, in the order of `titles`, with the title in the first column, and moves the
/// group's rows below. `groups`: index in `titles` by row.
/// The group's title and a following dot are removed from names in the first column; `kept` stores the shortened names.
void group_below_headings(const std::vector<std::string>& titles, const std::vector<std::size_t>& groups, const std::function<Value(std::string)>& kept,
                          ReportTable& table);

/// Returns the tree lines in front of a row, such as `├ ` or `│ └ `: blanks below a mere heading, nothing for a root.
std::string branch(const ReportTable& table, std::size_t row);

}  // namespace opledger
