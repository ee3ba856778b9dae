#include "measured/table_errors.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/text.h"

namespace opledger {
namespace {

/// Compares computed and measured values of metrics, by groups of rows.
class Comparer {
 public:
  Comparer(EvaluatedTable& table, const std::vector<std::string>& by) : table_(table), by_(by) {}

  /// Finds the positions of the grouping columns. Returns false and reports an error for an unknown column.
  bool find_groups(Diagnostics& diagnostics) {
    const std::vector<std::string>& columns = table_.rows.columns;
    for (const std::string& name : by_) {
      const auto at = std::find(columns.begin(), columns.end(), name);
      if (at == columns.end()) diagnostics.error({}, fmt::format("`--by`: the table has no column `{}`{}", name, suggestion(name, columns)));
      places_.push_back(static_cast<std::size_t>(at - columns.begin()));
    }
    return !diagnostics.has_errors();
  }

  /// Compares one metric with its column of measurements. Adds a column with the relative error of each row to the
  /// table, and statistics to `out`: of each group of rows, then of all rows. Rows without a measured value are skipped;
  /// measured rows without a computed value, or infeasible ones, are counted. A measurement with a unit is converted to base units, the units
  /// of computed figures. Returns false and reports an error for an unknown metric or a unit of another kind.
  bool compare(const MeasurementColumn& measured, TableErrors& out, Diagnostics& diagnostics) {
    const auto metric = std::find_if(table_.metrics.begin(), table_.metrics.end(), [&](const auto& m) { return m.name == measured.metric; });
    if (metric == table_.metrics.end()) {
      std::vector<std::string> known;
      for (const auto& m : table_.metrics) known.push_back(m.name);
      diagnostics.error({}, fmt::format("`--measured`: unknown metric `{}`{}", measured.metric, suggestion(measured.metric, known)));
      return false;
    }
    const std::optional<Unit> own = parse_unit(metric->unit);
    if (measured.unit && own && !(measured.unit->dimension == own->dimension)) {
      diagnostics.error(
          {}, fmt::format("`--measured`: `{}` is in {}, and the column `{}` in another kind of unit", measured.metric, metric->unit, measured.column));
      return false;
    }
    const auto metric_index = static_cast<std::size_t>(metric - table_.metrics.begin());
    const auto& columns = table_.rows.columns;
    const auto column = static_cast<std::size_t>(std::find(columns.begin(), columns.end(), measured.column) - columns.begin());
    std::vector<Rows> groups;
    Rows all;
    table_.rows.columns.push_back(measured.metric + "_error");
    for (std::size_t r = 0; r < table_.rows.rows.size(); ++r) {
      Csv::Row& row = table_.rows.rows[r];
      std::optional<double> computed, published = number(row.cells[column]);
      if (published && measured.unit) *published *= measured.unit->factor;
      if (table_.is_feasible(r) && table_.figures[r][metric_index].is_number()) computed = table_.figures[r][metric_index].scalar.value;
      row.cells.push_back(computed && published ? exact((*computed - *published) / *published) : "");
      if (!published) continue;
      add(group(groups, row), computed, *published);
      add(all, computed, *published);
    }
    if (!by_.empty()) {
      for (Rows& g : groups) out.groups.push_back({std::move(g.words), measured.metric, errors_of(g.pairs), g.without});
    }
    out.groups.push_back({std::vector<std::string>(by_.size()), measured.metric, errors_of(all.pairs), all.without});
    return true;
  }

 private:
  /// The rows of a group.
  struct Rows {
    std::vector<std::string> words;
    std::vector<std::pair<double, double>> pairs;
    std::size_t without = 0;
  };

  /// Parses a measured value. Empty if it is not a positive number, since errors are relative to it.
  static std::optional<double> number(const std::string& cell) {
    double value = 0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    return error == std::errc() && end == cell.data() + cell.size() && value > 0 && std::isnormal(value) ? std::optional(value) : std::nullopt;
  }

  static void add(Rows& rows, const std::optional<double>& computed, double published) {
    if (computed)
      rows.pairs.emplace_back(*computed, published);
    else
      ++rows.without;
  }

  /// Returns the group of a row, by its values in the grouping columns; adds a new group if necessary. The cost is
  /// linear in the number of groups.
  Rows& group(std::vector<Rows>& groups, const Csv::Row& row) const {
    std::vector<std::string> words;
    for (const std::size_t place : places_) words.push_back(row.cells[place]);
    const auto known = std::find_if(groups.begin(), groups.end(), [&](const Rows& g) { return g.words == words; });
    return known != groups.end() ? *known : groups.emplace_back(Rows{std::move(words), {}, 0});
  }

  EvaluatedTable& table_;
  const std::vector<std::string>& by_;
  std::vector<std::size_t> places_;
};

}  // namespace

std::optional<MeasurementColumn> MeasurementColumn::parse(const std::string& metric, const std::string& column, const Csv& table, Diagnostics& diagnostics) {
  const std::size_t colon = column.rfind(':');
  MeasurementColumn out{metric, column.substr(0, colon), {}};
  if (colon != std::string::npos) {
    const std::optional<Unit> unit = parse_unit(column.substr(colon + 1));
    if (!unit) diagnostics.error({}, fmt::format("`--measured`: unknown unit `{}`", column.substr(colon + 1)));
    out.unit = unit;
  }
  if (!contains(table.columns, out.column))
    diagnostics.error({}, fmt::format("`--measured`: the table has no column `{}`{}", out.column, suggestion(out.column, table.columns)));
  return diagnostics.has_errors() ? std::nullopt : std::optional(out);
}

std::vector<std::string> non_run_columns(const std::vector<MeasurementColumn>& measured, const std::vector<std::string>& by) {
  std::vector<std::string> out = by;
  for (const MeasurementColumn& m : measured) out.push_back(m.column);
  return out;
}

std::optional<TableErrors> compare_measured(EvaluatedTable& table, const std::vector<MeasurementColumn>& measured, const std::vector<std::string>& by,
                                            Diagnostics& diagnostics) {
  Comparer comparer(table, by);
  if (!comparer.find_groups(diagnostics)) return std::nullopt;
  TableErrors out{by, {}};
  for (const MeasurementColumn& m : measured) {
    if (!comparer.compare(m, out, diagnostics)) return std::nullopt;
  }
  return out;
}

}  // namespace opledger
