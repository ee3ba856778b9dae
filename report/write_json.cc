#include <algorithm>
#include <utility>

#include "report/json_objects.h"
#include "report/writers.h"

namespace opledger {
namespace {

Json named(const std::string& document) { return document.empty() ? Json() : Json(document); }

Json row_of(const ReportTable& table, const std::vector<Value>& values) {
  Json row = Json::object();
  for (std::size_t i = 0; i < values.size(); ++i) row[table.columns[i]] = json_value(values[i]);
  return row;
}

/// Returns the children of `parent` as objects. Each object contains its own children under `kChildren`. Each call
/// scans the table.
Json rows_of(const ReportTable& table, int parent) {
  constexpr const char* kChildren = "rows";
  Json rows = Json::array();
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    if ((table.parents.empty() ? -1 : table.parents[i]) != parent) continue;
    Json row = row_of(table, table.rows[i]);
    Json children = table.parents.empty() ? Json() : rows_of(table, static_cast<int>(i));
    if (!children.empty()) row[kChildren] = std::move(children);
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Adds totals, notes and counts of omitted rows, under `table` or `table.column`.
void add_more(const ReportTable& table, Json& totals, Json& notes, Json& left_out) {
  if (!table.total.empty()) totals[table.name] = row_of(table, table.total);
  if (!table.notes.empty()) notes[table.name] = table.notes;
  if (table.left_out > 0) left_out[table.name] = table.left_out;
  for (const auto& [column, items] : table.left_out_items) left_out[table.name + "." + column] = items;
}

void add_units(const ReportTable& table, Json& units) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const std::string unit = column_unit(table, i);
    if (!unit.empty()) units[table.name + "." + table.columns[i]] = unit;
  }
}

/// Returns the metrics as rows of a table. A metric that several sections share, known by its identifier, is written
/// once. The cost is quadratic in the number of metrics.
Json metrics_of(const Report& report) {
  Json out = Json::array();
  for (const ReportSection& section : report.sections) {
    for (const ReportMetric& metric : section.metrics) {
      const auto same = [&](const Json& row) { return row["name"] == metric.id; };
      if (std::any_of(out.begin(), out.end(), same)) continue;
      out.push_back({{"name", metric.id},
                     {"value", json_value(metric.value)},
                     {"unit", metric.unit},
                     {"metric", metric.name},
                     {"label", metric.key},
                     {"doc", metric.doc}});
    }
  }
  return out;
}

}  // namespace

/// Returns a report as JSON. A bare report, which has a single requested part, is a plain list of rows. Any other
/// report is an object: names of documents, or a title for several runs; each metric by its identifier; tables as lists
/// of rows by column. Units, names and labels of metrics are maps from identifiers. Totals, notes and counts of omitted
/// rows are present only if a table has some.
Json report_json(const Report& report) {
  if (report.bare) return report.tables.empty() ? metrics_of(report) : rows_of(report.tables[0], -1);
  Json out = report_without_tables(report);
  for (const ReportTable& table : report.tables) out["tables"][table.name] = table_json(table);
  return out;
}

Json table_json(const ReportTable& table) { return rows_of(table, -1); }

Json report_without_tables(const Report& report) {
  Json out = {{kFormatKey, kFormat}};
  if (report.title.empty()) {
    out["model"] = named(report.model);
    out["execution"] = named(report.execution);
    if (!report.stack.empty()) out["stack"] = report.stack;
    out["system"] = named(report.system);
  } else {
    out["title"] = report.title;
  }
  out["accounting"] = report.accounting;
  for (const NamedDocument& other : report.documents) out["cases"][other.word][other.role] = other.name;
  Json units = Json::object(), names, labels, totals, notes, left_out, violations = Json::array();
  for (const ReportSection& section : report.sections) {
    for (const ReportMetric& metric : section.metrics) {
      out[metric.id] = json_value(metric.value);
      if (!metric.unit.empty()) units[metric.id] = metric.unit;
      names[metric.id] = metric.name;
      labels[metric.id] = metric.key;
    }
  }
  for (const ReportTable& table : report.tables) {
    add_units(table, units);
    add_more(table, totals, notes, left_out);
  }
  for (const Violation& violation : report.violations) violations.push_back(Json{{"reason", violation.reason}, {"message", violation.message}});
  out["units"] = std::move(units);
  if (!names.is_null()) out["metrics"] = std::move(names), out["labels"] = std::move(labels);
  out["tables"] = Json::object();
  for (const auto& [key, more] : {std::pair{"totals", &totals}, {"notes", &notes}, {"left_out", &left_out}}) {
    if (!more->is_null()) out[key] = std::move(*more);
  }
  out["violations"] = std::move(violations);
  return out;
}

std::string write_json(const Report& report) { return json_text(report_json(report)); }

}  // namespace opledger
