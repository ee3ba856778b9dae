#include <fmt/core.h>

#include <algorithm>

#include "report/cells.h"
#include "report/writers.h"

namespace opledger {
namespace {

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (std::string_view("\\|`*<").find(c) != std::string_view::npos) result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result;
}

void add_section(const ReportSection& section, std::string& out) {
  out += fmt::format("\n## {}\n\n| | | |\n| --- | ---: | --- |\n", escaped(section.title));
  for (const ReportMetric& metric : section.metrics) {
    out += fmt::format("| {} | {} | {} |\n", escaped(shown_key(metric.key)), escaped(shown(metric.value, metric.unit == "ratio")), escaped(metric.doc));
  }
}

bool is_numeric(const ReportTable& table, std::size_t column) {
  return std::all_of(table.rows.begin(), table.rows.end(), [&](const std::vector<Value>& row) { return row[column].is_number(); });
}

void add_table(const ReportTable& table, std::string& out) {
  if (table.rows.empty() || table.columns.empty()) return;
  out += fmt::format("\n## {}\n\n|", escaped(table.title));
  for (const std::string& column : table.columns) out += " " + escaped(shown_key(column)) + " |";
  out += "\n|";
  for (std::size_t i = 0; i < table.columns.size(); ++i) out += is_numeric(table, i) ? " ---: |" : " --- |";
  for (const std::vector<Value>& row : table.rows) {
    out += "\n|";
    for (std::size_t i = 0; i < row.size(); ++i) out += " " + escaped(shown(row[i], table.columns[i] == "share")) + " |";
  }
  out += "\n";
}

}  // namespace

std::string write_markdown(const Report& report) {
  std::string out = "# " + escaped(report.model) + "\n\n";
  out += "execution " + escaped(report.execution);
  if (!report.system.empty()) out += ", system " + escaped(report.system);
  out += ", accounting " + escaped(report.accounting) + "\n";
  for (const ReportSection& section : report.sections) add_section(section, out);
  for (const ReportTable& table : report.tables) add_table(table, out);
  return out;
}

}  // namespace opledger
