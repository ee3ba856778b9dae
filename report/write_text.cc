#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/lists.h"
#include "base/text.h"
#include "report/cells.h"
#include "report/writers.h"
#include "run/documents.h"

namespace opledger {
namespace {

constexpr std::size_t kGap = 2;        // Blanks before each column.
constexpr std::size_t kNarrowest = 6;  // Minimum width of a text column that is cut.
constexpr std::size_t kProse = 28;     // Minimum width of a column of sentences that wrap.

// Appends a line without trailing blanks.
void add_line(std::string line, std::string& out) {
  line.erase(line.find_last_not_of(' ') + 1);
  out += line + "\n";
}

void add_heading(const Report& report, std::string& out) {
  if (!report.title.empty()) out += report.title + "\n";
  const std::string stack = report.stack == kNoStack ? "none: kernels as good as can be, and messages as rules say" : report.stack;
  const std::pair<const char*, const std::string&> lines[] = {
      {"model", report.model}, {"execution", report.execution}, {"stack", stack}, {"system", report.system}, {"accounting", report.accounting}};
  for (const auto& [key, value] : lines) {
    if (!value.empty()) out += fmt::format("{:<12}{}\n", key, value);
  }
  for (const NamedDocument& other : report.documents) out += fmt::format("{:<12}{}, {} {}\n", "case", other.word, other.role, other.name);
}

void add_text_section(const ReportSection& section, std::string& out) {
  std::size_t keys = 0, values = 0;
  const std::vector<const ReportMetric*> shown = shown_metrics(section);
  if (shown.empty()) return;
  for (const ReportMetric* metric : shown) {
    keys = std::max(keys, width(metric->key));
    values = std::max(values, width(display_text(metric->value, metric->unit == "ratio")));
  }
  out += "\n" + section.title + "\n";
  for (const ReportMetric* metric : shown) {
    const std::string blanks(kGap, ' ');
    add_line(blanks + padded(display_key(metric->key), keys, false) + blanks + padded(display_text(metric->value, metric->unit == "ratio"), values, true), out);
  }
}

struct Column {
  bool number = false, prose = false, broken = false;  // `broken`: names that don't fit continue on further lines.
  std::size_t index = 0, width = 0;
  std::vector<std::string> cells;  // Cells, beginning with the title.
};

Column column_of(const ReportTable& table, std::size_t index) {
  Column column;
  column.index = index;
  column.prose = contains(table.prose, table.columns[index]);
  column.cells.push_back(display_title(table, index));
  column.number = true;
  for (const Value& value : column_values(table, index)) column.number = column.number && (value.is_number() || value.kind == Value::Kind::nothing);
  for (std::string& cell : display_column(table, index)) column.cells.push_back(std::move(cell));
  for (const std::string& cell : column.cells) column.width = std::max(column.width, width(cell));
  return column;
}

// Returns the width of a table. Columns of sentences count with the width to which they may shrink.
std::size_t least_width(const std::vector<Column>& columns) {
  std::size_t total = 0;
  for (const Column& column : columns) total += kGap + (column.prose ? std::min(column.width, kProse) : column.width);
  return total;
}

// Returns the number of rows that read differently. With `cut`, names that are longer than their column are cut.
std::size_t distinct_rows(const std::vector<Column>& columns, bool cut = false) {
  std::set<std::string> rows;
  for (std::size_t row = 1; row < columns[0].cells.size(); ++row) {
    std::string text;
    for (const Column& column : columns) text += (cut && !column.prose ? shortened_in_middle(column.cells[row], column.width) : column.cells[row]) + '\n';
    rows.insert(std::move(text));
  }
  return rows.size();
}

// Leaves out columns until the table fits the page, or only two are left: first the minor ones in the order of the table,
// then others from the last. The first column, columns of sentences, and columns that tell rows apart stay. Returns the
// titles of the columns that were left out. The cost is a pass over the table for each column.
std::vector<std::string> leave_out(const ReportTable& table, std::vector<Column>& columns, const PageSize& page) {
  std::vector<std::string> order = table.minor, out;
  for (auto column = columns.rbegin(); column != columns.rend(); ++column) {
    if (!column->prose && !contains(order, table.columns[column->index])) order.push_back(table.columns[column->index]);
  }
  for (const std::string& name : order) {
    if (columns.size() <= 2 || least_width(columns) <= page.columns) break;
    const auto at = std::find_if(columns.begin() + 1, columns.end(), [&](const Column& column) { return table.columns[column.index] == name; });
    if (at == columns.end()) continue;
    std::vector<Column> rest = columns;
    rest.erase(rest.begin() + (at - columns.begin()));
    if (distinct_rows(rest) < distinct_rows(columns)) continue;
    out.push_back(at->cells[0]);
    columns = std::move(rest);
  }
  return out;
}

// Narrows columns until the table fits the page, or no column can shrink further. Columns of sentences shrink first,
// from the last one, down to kProse; they wrap, so no text is lost. On a terminal, the widest column of names then loses
// a character at a time. Names are cut in the middle; if rows would read the same, they continue on further lines.
// Columns of numbers are never narrowed.
void fit(std::vector<Column>& columns, const PageSize& page) {
  std::size_t total = 0;
  for (const Column& column : columns) total += column.width + kGap;
  for (auto column = columns.rbegin(); column != columns.rend() && total > page.columns; ++column) {
    if (!column->prose || column->width <= kProse) continue;
    const std::size_t taken = std::min(total - page.columns, column->width - kProse);
    total -= taken;
    column->width -= taken;
  }
  const std::size_t distinct = page.cut && total > page.columns ? distinct_rows(columns) : 0;
  for (; page.cut && total > page.columns; --total) {
    Column* widest = nullptr;
    for (Column& column : columns) {
      if (!column.number && !column.prose && column.width > kNarrowest && (widest == nullptr || column.width > widest->width)) widest = &column;
    }
    if (widest == nullptr) break;
    --widest->width;
  }
  if (distinct == 0 || distinct_rows(columns, true) == distinct) return;
  for (Column& column : columns) column.broken = !column.number && !column.prose;
}

// Splits a wide table into parts that fit the page. Each part repeats the first column, which identifies the rows.
std::vector<std::vector<Column>> folded(std::vector<Column> columns, const PageSize& page) {
  std::vector<std::vector<Column>> parts(1);
  std::size_t total = 0;
  for (Column& column : columns) {
    if (total + column.width + kGap > page.columns && parts.back().size() > 1) {
      parts.push_back({parts[0][0]});
      total = parts[0][0].width + kGap;
    }
    total += column.width + kGap;
    parts.back().push_back(std::move(column));
  }
  return parts;
}

std::vector<std::string> lines_of(const Column& column, std::size_t row) {
  if (column.prose) return wrapped(column.cells[row], column.width);
  if (column.broken) return broken_name(column.cells[row], column.width);
  return {shortened_in_middle(column.cells[row], column.width)};
}

/// Appends a row; a wrapped cell makes the row several lines high.
void add_row(const std::vector<Column>& columns, std::size_t row, std::string& out) {
  std::vector<std::vector<std::string>> cells;
  std::size_t lines = 1;
  for (const Column& column : columns) {
    cells.push_back(lines_of(column, row));
    lines = std::max(lines, cells.back().size());
  }
  for (std::size_t i = 0; i < lines; ++i) {
    std::string line;
    for (std::size_t c = 0; c < columns.size(); ++c)
      line += std::string(kGap, ' ') + padded(i < cells[c].size() ? cells[c][i] : "", columns[c].width, columns[c].number);
    add_line(std::move(line), out);
  }
}

/// Appends a table with its title, notes and the number of omitted rows. A table whose columns are names (`wide`) is
/// split into parts below each other if it exceeds the page. Any other table has its columns narrowed; on a terminal, whole
/// columns are left out first, and a line names them. A column's first cell is its title, so titles are written as the
/// first row. A table without rows is left out.
void add_text_table(const ReportTable& table, const PageSize& page, std::string& out) {
  if (table.rows.empty() || table.columns.empty()) return;
  std::vector<Column> columns;
  for (const std::size_t i : visible_columns(table)) columns.push_back(column_of(table, i));
  std::vector<std::string> left_out;
  if (!table.wide && page.cut && !page.full) left_out = leave_out(table, columns, page);
  if (!table.wide) fit(columns, page);
  out += "\n";
  for (const std::string& line : wrapped(table.title, page.cut ? page.columns : std::string::npos)) out += line + "\n";
  const std::vector<std::vector<Column>> parts = table.wide ? folded(std::move(columns), page) : std::vector<std::vector<Column>>{std::move(columns)};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += "\n";
    for (std::size_t row = 0; row < parts[i][0].cells.size(); ++row) add_row(parts[i], row, out);
  }
  const std::string blanks(kGap, ' ');
  const auto add_note = [&](const std::string& note) {
    for (const std::string& line : wrapped(note, std::max(page.columns, kProse) - kGap)) add_line(blanks + line, out);
  };
  if (table.left_out > 0) add_line(blanks + omission_note(table), out);
  if (!left_out.empty()) add_note(fmt::format("not shown: {}; --full or a wider terminal", join(left_out, ", ")));
  for (const std::string& note : table.notes) add_note(visible(note));
}

}  // namespace

std::string write_text(const Report& report, const PageSize& page) {
  std::string out;
  add_heading(report, out);
  for (const ReportSection& section : report.sections) {
    add_text_section(section, out);
  }
  for (const ReportTable& table : report.tables) {
    if (!table.detail) add_text_table(table, page, out);
  }
  if (const std::string note = more_note(report); !note.empty()) {
    out += "\n";
    for (const std::string& line : wrapped(note, std::max(page.columns, kProse))) add_line(line, out);
  }
  return out;
}

}  // namespace opledger
