#include "report/table_report.h"

#include <algorithm>

namespace opledger {
namespace {

Value row_number(std::size_t row) { return number_value(real(static_cast<double>(row + 1))); }

bool evaluated(const EvaluatedTable& table, std::size_t row) { return !table.figures[row].empty() || table.metrics.empty(); }

/// Returns the outcome before its first colon: `ok`, `infeasible` or `error`.
std::string kind_of_outcome(const std::string& outcome) { return outcome.substr(0, outcome.find(':')); }

/// Returns the rows that were evaluated, by number: input columns as texts, the outcome if a row is infeasible, then the
/// metrics. The input table has the columns inputs, outcome, metrics in this order. A metric that is no number, such as a
/// word, is stored only as text, in the cell of its column.
ReportTable figures_of(const EvaluatedTable& table, ValueOwners& kept) {
  const std::size_t inputs = table.outcome;
  bool with_outcome = false;
  for (std::size_t r = 0; r < table.rows.rows.size(); ++r) with_outcome = with_outcome || (evaluated(table, r) && !table.is_feasible(r));
  ReportTable out{"rows", "Rows", {"row"}, {}};
  out.wide = true;
  for (std::size_t c = 0; c < inputs; ++c) out.columns.push_back(table.rows.columns[c]);
  if (with_outcome) out.columns.emplace_back("outcome");
  for (const EvaluatedTable::Metric& metric : table.metrics) {
    out.columns.push_back(metric.name);
    if (metric.unit == "ratio") out.units.push_back({metric.name, "%", 0.01, 1});
  }
  for (std::size_t r = 0; r < table.rows.rows.size(); ++r) {
    if (!evaluated(table, r)) continue;
    std::vector<Value> row = {row_number(r)};
    for (std::size_t c = 0; c < inputs; ++c) row.push_back(text_value(table.rows.rows[r].cells[c]));
    if (with_outcome) row.push_back(owned_text(kind_of_outcome(table.rows.rows[r].cells[table.outcome]), kept));
    for (std::size_t m = 0; m < table.metrics.size(); ++m) {
      const Value& figure = table.figures[r][m];
      row.push_back(figure.is_number() ? figure : text_value(table.rows.rows[r].cells[inputs + 1 + m]));
    }
    out.rows.push_back(std::move(row));
  }
  return out;
}

/// Returns the rows that are infeasible or can't be computed. The reason is the outcome's text after its first colon.
ReportTable failures_of(const EvaluatedTable& table, ValueOwners& kept) {
  ReportTable out{"failures", "Rows that are infeasible or can't be computed", {"row", "outcome", "why"}, {}};
  out.prose = {"why"};
  for (std::size_t r = 0; r < table.rows.rows.size(); ++r) {
    if (table.is_feasible(r)) continue;
    const std::string& outcome = table.rows.rows[r].cells[table.outcome];
    const std::string kind = kind_of_outcome(outcome);
    out.rows.push_back({row_number(r), owned_text(kind, kept), owned_text(outcome.substr(std::min(outcome.size(), kind.size() + 2)), kept)});
  }
  return out;
}

}  // namespace

Report build_report(const EvaluatedTable& table, const std::string& title, const std::string& accounting) {
  Report report{{}, {}, {}, accounting};
  report.title = title;
  report.tables = {figures_of(table, report.kept), failures_of(table, report.kept)};
  return report;
}

/// Returns one row for each group of table rows and metric: the group's words, the number of rows compared, and
/// relative errors. The errors are signed mean, mean, median, worst, and the share of rows within 10 %; a missing one
/// is an empty cell. The last column counts rows without figures.
Report build_report(const TableErrors& errors, const std::string& title, const std::string& accounting) {
  Report report{{}, {}, {}, accounting};
  report.title = title;
  ReportTable out{"errors", "Errors", errors.by, {}};
  out.columns.insert(out.columns.end(), {"metric", "rows", "signed", "mean", "median", "worst", "within 10 %", "without figures"});
  for (const char* share : {"signed", "mean", "median", "worst", "within 10 %"}) out.units.push_back({share, "%", 0.01, 1});
  for (const TableErrors::Group& group : errors.groups) {
    std::vector<Value> row;
    for (const std::string& word : group.words) row.push_back(text_value(word));
    row.push_back(text_value(group.metric));
    row.push_back(number_value(integer(static_cast<double>(group.errors.rows))));
    for (const auto& share : {group.errors.signed_mean, group.errors.mean, group.errors.median, group.errors.worst, group.errors.near})
      row.push_back(share ? number_value(real(*share)) : Value{});
    row.push_back(number_value(integer(static_cast<double>(group.without))));
    out.rows.push_back(std::move(row));
  }
  report.tables.push_back(std::move(out));
  return report;
}

}  // namespace opledger
