#include "report/validation_report.h"

#include "base/text.h"

namespace opledger {
namespace {

Value number_or_nothing(const std::optional<double>& number, const Dimension& unit = {}) { return number ? number_value(real(*number), unit) : Value{}; }

std::optional<double> error_of(const ValidationRow& row, std::size_t accounting) {
  if (!row.values[accounting]) return std::nullopt;
  return relative_error(*row.values[accounting], row.published);
}

ColumnUnit in_percent(const std::string& column) { return {column, "%", 0.01, 2}; }

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

ReportTable errors_of(const Validation& validation) {
  ReportTable out{"errors", "Errors", {"table", "accounting", "mean", "worst", "mean expected", "worst expected"}, {}};
  for (std::size_t i = 2; i < out.columns.size(); ++i) out.units.push_back(in_percent(out.columns[i]));
  for (const ValidationTable& table : validation.tables) {
    for (std::size_t i = 0; i < table.errors.size(); ++i) {
      const ValidationErrors& errors = table.errors[i];
      if (!errors.mean) continue;
      out.rows.push_back({text_value(table.name), text_value(validation.accountings[i]), number_or_nothing(errors.mean), number_or_nothing(errors.worst),
                          number_or_nothing(errors.mean_limit), number_or_nothing(errors.worst_limit)});
    }
  }
  return out;
}

}  // namespace

Report build_report(const Validation& validation) {
  Report report;
  report.title = validation.name;
  report.accounting = join(validation.accountings, ", ");
  for (const ValidationTable& table : validation.tables) report.tables.push_back(table_of(table, validation.accountings));
  report.tables.push_back(errors_of(validation));
  return report;
}

}  // namespace opledger
