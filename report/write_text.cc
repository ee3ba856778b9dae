#include <fmt/core.h>

#include <algorithm>
#include <utility>

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
  for (const ReportMetric& metric : section.metrics) {
    keys = std::max(keys, width(metric.key));
    values = std::max(values, width(display_text(metric.value, metric.unit == "ratio")));
  }
  out += "\n" + section.title + "\n";
  for (const ReportMetric& metric : section.metrics) {
    const std::string blanks(kGap, ' ');
    add_line(blanks + padded(display_key(metric.key), keys, false) + blanks + padded(display_text(metric.value, metric.unit == "ratio"), values, true), out);
  }
}

struct Column {
  bool number = false, prose = false;
  std::size_t width = 0;
  std::vector<std::string> cells;  // Cells, beginning with the title.
};

Column column_of(const ReportTable& table, std::size_t index) {
  Column column;
  column.prose = contains(table.prose, table.columns[index]);
  column.cells.push_back(display_title(table, index));
  column.number = true;
  for (const Value& value : column_values(table, index)) column.number = column.number && (value.is_number() || value.kind == Value::Kind::nothing);
  for (std::string& cell : display_column(table, index)) column.cells.push_back(std::move(cell));
  for (const std::string& cell : column.cells) column.width = std::max(column.width, width(cell));
  return column;
}

// Narrows columns until the table fits the page, or no column can shrink further. Columns of sentences shrink first,
// from the last one, down to kProse; they wrap, so no text is lost. If the page allows cut texts, the widest text
// column then loses a character at a time. Columns of numbers are never cut.
void fit(std::vector<Column>& columns, const PageSize& page) {
  std::size_t total = 0;
  for (const Column& column : columns) total += column.width + kGap;
  for (auto column = columns.rbegin(); column != columns.rend() && total > page.columns; ++column) {
    if (!column->prose || column->width <= kProse) continue;
    const std::size_t taken = std::min(total - page.columns, column->width - kProse);
    total -= taken;
    column->width -= taken;
  }
  for (; page.cut && total > page.columns; --total) {
    Column* widest = nullptr;
    for (Column& column : columns) {
      if (!column.number && !column.prose && column.width > kNarrowest && (widest == nullptr || column.width > widest->width)) widest = &column;
    }
    if (widest == nullptr) return;
    --widest->width;
  }
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
/// split into parts below each other if it exceeds the page; any other table has its columns narrowed. A column's first
/// cell is its title, so titles are written as the first row. A table without rows is left out.
void add_text_table(const ReportTable& table, const PageSize& page, std::string& out) {
  if (table.rows.empty() || table.columns.empty()) return;
  std::vector<Column> columns;
  for (const std::size_t i : visible_columns(table)) columns.push_back(column_of(table, i));
  if (!table.wide) fit(columns, page);
  out += "\n" + table.title + "\n";
  const std::vector<std::vector<Column>> parts = table.wide ? folded(std::move(columns), page) : std::vector<std::vector<Column>>{std::move(columns)};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += "\n";
    for (std::size_t row = 0; row < parts[i][0].cells.size(); ++row) add_row(parts[i], row, out);
  }
  const std::string blanks(kGap, ' ');
  if (table.left_out > 0) add_line(blanks + omission_note(table), out);
  for (const std::string& note : table.notes) {
    for (const std::string& line : wrapped(visible(note), std::max(page.columns, kProse) - kGap)) add_line(blanks + line, out);
  }
}

}  // namespace

std::string write_text(const Report& report, const PageSize& page) {
  std::string out;
  add_heading(report, out);
  for (const ReportSection& section : report.sections) {
    if (!section.detail) add_text_section(section, out);
  }
  for (const ReportTable& table : report.tables) {
    if (!table.detail) add_text_table(table, page, out);
  }
  return out;
}

}  // namespace opledger
