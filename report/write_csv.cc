#include <set>

#include "base/csv.h"
#include "base/text.h"
#include "report/writers.h"

namespace opledger {
namespace {

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

void add_row(const std::string& table, const std::vector<Value>& values, std::string& out) {
  out += "\n" + csv_cell(table);
  for (const Value& value : values) out += "," + csv_value(value);
}

/// Where rows stand under others, a last column has what stands first in the row above. Sums are a table of one row.
void add_csv_table(const ReportTable& table, std::string& out) {
  const bool tree = !table.under.empty();
  out += "\ntable";
  for (const std::string& column : table.columns) out += "," + csv_cell(column);
  if (tree) out += ",under";
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    add_row(table.name, table.rows[i], out);
    if (tree) out += "," + (table.under[i] < 0 ? "" : csv_value(table.rows[static_cast<std::size_t>(table.under[i])][0]));
  }
  if (!table.total.empty()) add_row(table.name + ".total", table.total, out), out += tree ? "," : "";
  out += "\n";
}

}  // namespace

std::string write_csv(const Report& report) {
  std::string out = "name,value,unit\n";
  std::set<std::string> written_ids;  // a metric may stand in several sections
  for (const ReportSection& section : report.sections) {
    for (const ReportMetric& metric : section.metrics) {
      if (!written_ids.insert(metric.id).second) continue;
      out += csv_cell(metric.id) + "," + csv_value(metric.value) + "," + csv_cell(metric.unit) + "\n";
    }
  }
  for (const ReportTable& table : report.tables) {
    if (table.left_out > 0) out += csv_cell("left_out." + table.name) + "," + std::to_string(table.left_out) + ",count\n";
    for (const auto& [column, items] : table.left_out_items)
      out += csv_cell("left_out." + table.name + "." + column) + "," + std::to_string(items) + ",count\n";
  }
  for (const ReportTable& table : report.tables) {
    if (!table.rows.empty() && !table.columns.empty()) add_csv_table(table, out);
  }
  return out;
}

}  // namespace opledger
