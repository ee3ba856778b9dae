#include <set>

#include "base/csv.h"
#include "base/text.h"
#include "report/writers.h"

namespace opledger {
namespace {

std::string written(const Value& value) {
  if (value.kind == Value::Kind::nothing) return {};
  if (value.is_number()) return exact(value.scalar.value);
  if (value.kind == Value::Kind::list && value.record != nullptr) {
    std::vector<std::string> items;
    for (const auto& [_, item] : value.record->fields) items.push_back(written(item));
    return join(items, " ");
  }
  return csv_cell(human(value));
}

}  // namespace

std::string write_csv(const Report& report) {
  std::string out = "name,value,unit\n";
  std::set<std::string> written_ids;  // a metric may stand in several sections
  for (const ReportSection& section : report.sections) {
    for (const ReportMetric& metric : section.metrics) {
      if (!written_ids.insert(metric.id).second) continue;
      out += csv_cell(metric.id) + "," + written(metric.value) + "," + csv_cell(metric.unit) + "\n";
    }
  }
  for (const ReportTable& table : report.tables) {
    if (table.rows.empty() || table.columns.empty()) continue;
    out += "\ntable";
    for (const std::string& column : table.columns) out += "," + csv_cell(column);
    for (const std::vector<Value>& row : table.rows) {
      out += "\n" + csv_cell(table.name);
      for (const Value& value : row) out += "," + written(value);
    }
    out += "\n";
  }
  return out;
}

}  // namespace opledger
