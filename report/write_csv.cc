#include "report/writers.h"

namespace opledger {
namespace {

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? "\"\"" : std::string(1, c);
  return result + "\"";
}

std::string written(const Value& value) {
  if (value.is_number()) return exact(value.scalar.value);
  return quoted(human(value));
}

}  // namespace

std::string write_csv(const Report& report) {
  std::string out = "name,value,unit\n";
  for (const ReportSection& section : report.sections) {
    for (const ReportMetric& metric : section.metrics) out += quoted(metric.id) + "," + written(metric.value) + "," + quoted(metric.unit) + "\n";
  }
  for (const ReportTable& table : report.tables) {
    if (table.rows.empty() || table.columns.empty()) continue;
    out += "\ntable";
    for (const std::string& column : table.columns) out += "," + quoted(column);
    for (const std::vector<Value>& row : table.rows) {
      out += "\n" + quoted(table.name);
      for (const Value& value : row) out += "," + written(value);
    }
    out += "\n";
  }
  return out;
}

}  // namespace opledger
