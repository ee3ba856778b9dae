#include "report/validation_report.h"

#include "base/text.h"

namespace opledger {
namespace {

Value number_or_nothing(const std::optional<double>& number, const Dimension& unit = {}) { return number ? number_value(real(*number), unit) : Value{}; }

/// Returns the relative error, or nothing without a computed value.
std::optional<double> error_of(const ValidationRow& row, std::size_t accounting) {
  if (!row.values[accounting]) return std::nullopt;
  return relative_error(*row.values[accounting], row.published);
}

ColumnUnit in_percent(const std::string& column) { return {column, "%", 0.01, 2}; }

/// Returns the published values of a table of runs, and for each accounting the computed value and its relative error.
/// A ratio is shown in percent, any other column in the table's declared unit. With a single accounting, its columns
/// are named `computed` and `error`. A value that could not be computed is empty, and so is its error.
ReportTable table_of(const ValidationTable& table, const std::vector<std::string>& accountings) {
  ReportTable out{table.name, table.title, {"run"}, {}};
  const auto add = [&](const std::string& column, bool percent) {
    out.columns.push_back(column);
    out.units.push_back(percent ? in_percent(column) : ColumnUnit{column, table.unit_text, table.unit.factor});
  };
  const bool shares = table.unit_text == "ratio", alone = accountings.size() == 1;
  add("published", shares);
  for (const std::string& accounting : accountings) {
    add(alone ? "computed" : accounting, shares);
    add(alone ? "error" : accounting + " error", true);
  }
  for (const ValidationRow& row : table.rows) {
    std::vector<Value> cells = {text_value(row.run), number_or_nothing(row.published, table.unit.dimension)};
    for (std::size_t i = 0; i < accountings.size(); ++i) {
      cells.push_back(number_or_nothing(row.values[i], table.unit.dimension));
      cells.push_back(number_or_nothing(error_of(row, i)));
    }
    out.rows.push_back(std::move(cells));
  }
  return out;
}

/// Appends the error statistics of each table and accounting after the cells `before`.
void add_errors(const Validation& validation, const std::vector<Value>& before, ReportTable& out) {
  for (const ValidationTable& table : validation.tables) {
    for (std::size_t i = 0; i < table.errors.size(); ++i) {
      const ValidationErrors& errors = table.errors[i];
      if (!errors.mean) continue;
      std::vector<Value> cells = before;
      cells.insert(cells.end(), {text_value(table.name), text_value(validation.accountings[i]), number_value(integer(static_cast<double>(errors.rows)))});
      for (const auto& share : {errors.signed_mean, errors.mean, errors.median, errors.worst, errors.near, errors.mean_limit, errors.worst_limit})
        cells.push_back(number_or_nothing(share));
      out.rows.push_back(std::move(cells));
    }
  }
}

ReportTable errors_table(std::vector<std::string> before) {
  ReportTable out{"errors", "Errors", std::move(before), {}};
  out.columns.insert(out.columns.end(), {"table", "accounting", "rows"});
  for (const char* share : {"signed", "mean", "median", "worst", "within 10 %", "mean expected", "worst expected"}) {
    out.columns.emplace_back(share);
    out.units.push_back(in_percent(share));
  }
  return out;
}

}  // namespace

Report build_report(const Validation& validation) {
  Report report;
  report.title = validation.name;
  report.accounting = join(validation.accountings, ", ");
  for (const ValidationTable& table : validation.tables) report.tables.push_back(table_of(table, validation.accountings));
  report.tables.push_back(errors_table({}));
  add_errors(validation, {}, report.tables.back());
  return report;
}

Report summary_of(const std::vector<Validation>& validations) {
  Report report;
  report.title = "validation";
  report.tables.push_back(errors_table({"document"}));
  for (const Validation& validation : validations) add_errors(validation, {text_value(validation.name)}, report.tables.back());
  report.bare = true;
  return report;
}

}  // namespace opledger
