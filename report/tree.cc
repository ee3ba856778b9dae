#include "report/tree.h"

#include <algorithm>
#include <functional>

namespace opledger {
namespace {

/// Adds numbers and takes the unit from the first value that knows its unit.
void add(const Value& value, Value& sum) {
  if (!value.is_number()) return;
  if (!sum.is_number()) {
    sum = number_value(real(value.scalar.value), value.unit);
    sum.any_unit = value.any_unit;
    return;
  }
  if (sum.any_unit) sum.unit = value.unit, sum.any_unit = value.any_unit;
  sum.scalar.value += value.scalar.value;
}

/// Returns true if no later sibling follows the row.
bool is_last_of_its_own(const ReportTable& table, std::size_t row) {
  return std::find(table.parents.begin() + static_cast<std::ptrdiff_t>(row) + 1, table.parents.end(), table.parents[row]) == table.parents.end();
}

/// Returns a name without `beginning` at the start of its first matching word.
std::string without(const std::string& beginning, const std::string& name) {
  const std::size_t at = name.rfind(beginning, 0) == 0 ? 0 : name.find(" " + beginning);
  if (at == std::string::npos) return name;
  return at == 0 ? name.substr(beginning.size()) : name.substr(0, at + 1) + name.substr(at + 1 + beginning.size());
}

}  // namespace

/// Reorders rows depth first from the roots, whose parent is negative, so that each row follows its parent and siblings
/// keep their order. `children` lists the rows below each row; its last entry has the roots. Rows on a cycle are
/// unreachable from a root, and rows below kMaxDepth are skipped, so a missing row reveals both errors. The cost is
/// linear in the number of rows.
bool nest(const std::vector<int>& parents, ReportTable& table) {
  std::vector<std::vector<std::size_t>> children(parents.size() + 1);  // Children of each row; the last entry has the roots.
  for (std::size_t i = 0; i < parents.size(); ++i) children[parents[i] < 0 ? parents.size() : static_cast<std::size_t>(parents[i])].push_back(i);
  std::vector<std::vector<Value>> rows;
  const std::function<void(std::size_t, int, int)> place = [&](std::size_t parent, int parent_row, int depth) {
    if (depth > kMaxDepth) return;
    for (const std::size_t i : children[parent]) {
      table.parents.push_back(parent_row);
      rows.push_back(std::move(table.rows[i]));
      place(i, static_cast<int>(rows.size()) - 1, depth + 1);
    }
  };
  place(parents.size(), -1, 0);
  table.rows.swap(rows);
  return table.rows.size() == parents.size();
}

/// Replaces the values of inner rows in the given columns by sums over their children. A nonempty `total` names an
/// additional last row with sums over the roots. Rows are visited from the last to the first: children follow their
/// parent, so the sum of a row is complete when the row is reached. A row without children keeps its own value. The
/// cost is linear in the number of cells.
void add_sums(const std::vector<std::string>& columns, const Value& total, ReportTable& table) {
  if (total.kind != Value::Kind::nothing && !table.columns.empty()) {
    table.total.resize(table.columns.size());
    table.total[0] = total;
  }
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (!contains(columns, table.columns[c])) continue;
    std::vector<Value> sums(table.rows.size());
    for (std::size_t row = table.rows.size(); row-- > 0;) {
      Value& own = table.rows[row][c];
      if (sums[row].is_number()) own = sums[row];
      const int parent = table.parents.empty() ? -1 : table.parents[row];
      if (parent >= 0)
        add(own, sums[parent]);
      else if (!table.total.empty())
        add(own, table.total[c]);
    }
  }
}

/// Builds a forest with a heading for each group and nests the rows below, as `nest` does.
void group_below_headings(const std::vector<std::string>& titles, const std::vector<std::size_t>& groups, const std::function<Value(std::string)>& kept,
                          ReportTable& table) {
  std::vector<std::vector<Value>> rows;
  std::vector<int> parents(titles.size(), -1);
  for (const std::string& title : titles) rows.emplace_back(table.columns.size())[0] = kept(title);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    std::vector<Value>& row = rows.emplace_back(std::move(table.rows[i]));
    if (row[0].text != nullptr) row[0] = kept(without(titles[groups[i]] + ".", *row[0].text));
    parents.push_back(static_cast<int>(groups[i]));
  }
  table.rows.swap(rows);
  table.has_group_headings = nest(parents, table);
}

/// Draws the branch from the row up to its root: a corner or tee for the row, and a line for each ancestor that has
/// later siblings.
std::string branch(const ReportTable& table, std::size_t row) {
  if (table.parents.empty() || table.parents[row] < 0) return {};
  if (table.has_group_headings) return "  ";
  std::string out = is_last_of_its_own(table, row) ? "└ " : "├ ";
  for (std::size_t at = static_cast<std::size_t>(table.parents[row]); table.parents[at] >= 0; at = static_cast<std::size_t>(table.parents[at]))
    out.insert(0, is_last_of_its_own(table, at) ? "  " : "│ ");
  return out;
}

}  // namespace opledger
