#include <algorithm>
#include <set>

#include "base/csv.h"
#include "base/text.h"
#include "report/writers.h"

namespace opledger {
namespace {

/// Returns a value in base units; the items of a list are separated by blanks.
std::string csv_value(const Value& value) {
  if (value.kind == Value::Kind::nothing) return {};
  if (value.is_number()) return exact(value.scalar.value);
  if (value.kind == Value::Kind::list && value.record != nullptr) {
    std::vector<std::string> items;
    for (const auto& [_, item] : value.record->fields) items.push_back(csv_value(item));
    return join(items, " ");
  }
  return csv_cell(human(value));
}

std::string csv_row(const std::vector<Value>& values) {
  std::string out;
  for (const Value& value : values) out += (out.empty() && &value == &values[0] ? "" : ",") + csv_value(value);
  return out;
}

std::string csv_header(const ReportTable& table) {
  std::vector<std::string> cells;
  for (const std::string& column : table.columns) cells.push_back(csv_cell(column));
  if (!table.parents.empty()) cells.emplace_back("under");
  return join(cells, ",");
}

/// Returns a row; in a tree, a last column has the first cell of the parent.
std::string csv_row(const ReportTable& table, std::size_t row) {
  std::string out = csv_row(table.rows[row]);
  if (!table.parents.empty()) out += "," + (table.parents[row] < 0 ? "" : csv_value(table.rows[table.parents[row]][0]));
  return out;
}

/// Appends a table with its name in each row. Totals become a second table, with a single row.
void add_csv_table(const ReportTable& table, std::string& out) {
  out += "\ntable," + csv_header(table) + "\n";
  for (std::size_t i = 0; i < table.rows.size(); ++i) out += csv_cell(table.name) + "," + csv_row(table, i) + "\n";
  if (!table.total.empty()) out += csv_cell(table.name + ".total") + "," + csv_row(table.total) + (table.parents.empty() ? "" : ",") + "\n";
}

/// Returns a table without its name.
std::string csv_table(const ReportTable& table) {
  std::string out = csv_header(table) + "\n";
  for (std::size_t i = 0; i < table.rows.size(); ++i) out += csv_row(table, i) + "\n";
  return out;
}

std::string csv_metrics(const Report& report) {
  std::string out = "name,value,unit,metric,label\n";
  std::set<std::string> written_ids;  // Sections may share a metric.
  for (const ReportSection& section : report.sections) {
    for (const ReportMetric& metric : section.metrics) {
      if (!written_ids.insert(metric.id).second) continue;
      out +=
          csv_cell(metric.id) + "," + csv_value(metric.value) + "," + csv_cell(metric.unit) + "," + csv_cell(metric.name) + "," + csv_cell(metric.key) + "\n";
    }
  }
  return out;
}

}  // namespace

std::string write_csv(const Report& report) {
  if (report.bare) return report.tables.empty() ? csv_metrics(report) : csv_table(report.tables[0]);
  std::string out = csv_metrics(report);
  for (const ReportTable& table : report.tables) {
    if (table.left_out > 0) out += csv_cell("left_out." + table.name) + "," + std::to_string(table.left_out) + ",count,,\n";
    for (const auto& [column, items] : table.left_out_items)
      out += csv_cell("left_out." + table.name + "." + column) + "," + std::to_string(items) + ",count,,\n";
  }
  for (const ReportTable& table : report.tables) {
    if (!table.rows.empty() && !table.columns.empty()) add_csv_table(table, out);
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> write_csv_files(const Report& report) {
  std::vector<std::pair<std::string, std::string>> out;
  if (!report.sections.empty()) out.emplace_back(kMetricsPart, csv_metrics(report));
  for (const ReportTable& table : report.tables) {
    const std::string name = (table.name == kMetricsPart && !report.sections.empty() ? "table." : "") + table.name;
    // Reports may share a table.
    const bool there = std::any_of(out.begin(), out.end(), [&](const auto& file) { return file.first == name; });
    if (!there && !table.columns.empty()) out.emplace_back(name, csv_table(table));
  }
  return out;
}

}  // namespace opledger
