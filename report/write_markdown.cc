#include <fmt/core.h>

#include <algorithm>

#include "report/cells.h"
#include "report/writers.h"

namespace opledger {
namespace {

/// Escapes characters with a meaning in Markdown, so that names from documents appear verbatim.
std::string escaped_markdown(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (std::string_view("\\|`*<").find(c) != std::string_view::npos) result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result;
}

void add_markdown_section(const ReportSection& section, std::string& out) {
  const std::vector<const ReportMetric*> shown = shown_metrics(section);
  if (shown.empty()) return;
  out += fmt::format("\n## {}\n\n| | | |\n| --- | ---: | --- |\n", escaped_markdown(section.title));
  for (const ReportMetric* metric : shown) {
    out += fmt::format("| {} | {} | {} |\n", escaped_markdown(display_key(metric->key)), escaped_markdown(display_text(metric->value, metric->unit == "ratio")),
                       escaped_markdown(metric->doc));
  }
}

/// Appends a report table as a Markdown table, with its title if `titled`, its notes, and the number of omitted rows.
/// Cells are formatted column by column, because a column decides its units; `rows` holds the lines that grow with each
/// column. A column of numbers or missing values is aligned to the right. A table without rows is left out.
void add_markdown_table(const ReportTable& table, bool titled, std::string& out) {
  if (table.rows.empty() || table.columns.empty()) return;
  out += titled ? fmt::format("\n## {}\n\n|", escaped_markdown(table.title)) : "|";
  std::string ruler = "\n|";
  std::vector<std::string> rows(table.rows.size() + (table.total.empty() ? 0 : 1), "\n|");
  for (const std::size_t i : visible_columns(table)) {
    out += " " + escaped_markdown(display_title(table, i)) + " |";
    const std::vector<Value> values = column_values(table, i);
    const std::vector<std::string> cells = display_column(table, i);
    ruler += std::all_of(values.begin(), values.end(), [](const Value& value) { return value.is_number() || value.kind == Value::Kind::nothing; }) ? " ---: |"
                                                                                                                                                   : " --- |";
    for (std::size_t row = 0; row < rows.size(); ++row) rows[row] += " " + escaped_markdown(cells[row]) + " |";
  }
  out += ruler;
  for (const std::string& row : rows) out += row;
  out += "\n";
  if (table.left_out > 0) out += "\n" + omission_note(table) + "\n";
  for (const std::string& note : table.notes) out += "\n" + escaped_markdown(note) + "\n";
}

}  // namespace

/// Returns a report as Markdown: title, documents, then a table for each section and each table of the report. Parts
/// for programs only (`detail`) are left out. A bare report with a table, the single requested part, is only that table
/// without a title.
std::string write_markdown(const Report& report) {
  if (std::string only; report.bare && !report.tables.empty()) {
    add_markdown_table(report.tables[0], false, only);
    return only;
  }
  std::string out = "# " + escaped_markdown(!report.title.empty() ? report.title : report.model.empty() ? report.accounting : report.model) + "\n\n";
  if (!report.execution.empty()) out += "execution " + escaped_markdown(report.execution) + ", ";
  if (!report.stack.empty()) out += "stack " + escaped_markdown(report.stack) + ", ";
  if (!report.system.empty()) out += "system " + escaped_markdown(report.system) + ", ";
  out += "accounting " + escaped_markdown(report.accounting) + "\n";
  if (!report.against.empty()) out += "\nagainst " + escaped_markdown(report.against) + "\n";
  for (const ReportSection& section : report.sections) {
    add_markdown_section(section, out);
  }
  for (const ReportTable& table : report.tables) {
    if (!table.detail) add_markdown_table(table, true, out);
  }
  if (const std::string note = more_note(report); !note.empty()) out += "\n" + escaped_markdown(note) + "\n";
  return out;
}

}  // namespace opledger
