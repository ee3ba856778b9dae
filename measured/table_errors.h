#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "measured/validation.h"
#include "questions/table.h"

/// Relative errors of the runs of a table against measured columns.
namespace opledger {

/// A metric with its column of measurements: `tpot=tpot_ms:ms`. Without a unit, the column has the unit of the metric.
struct MeasurementColumn {
  std::string metric, column;
  std::optional<Unit> unit;

  /// Parses an option. Empty, with an error, if the table lacks the column or the unit is unknown.
  static std::optional<MeasurementColumn> parse(const std::string& metric, const std::string& column, const Csv& table, Diagnostics& diagnostics);
};

/// Errors of metrics by groups of rows.
struct TableErrors {
  struct Group {
    std::vector<std::string> words;  ///< Values in the grouping columns; empty for the group of all rows.
    std::string metric;
    ValidationErrors errors;
    std::size_t without = 0;  ///< Number of measured rows without a computed value.
  };
  std::vector<std::string> by;
  std::vector<Group> groups;  ///< Groups in order of first occurrence, then the group of all rows.
};

/// Returns the columns that runs need not know: measured columns and grouping columns.
std::vector<std::string> non_run_columns(const std::vector<MeasurementColumn>& measured, const std::vector<std::string>& by);

/// Adds a column `METRIC_error` with relative errors to the rows, and returns errors by groups. `table` must have all
/// metrics. Empty, with errors, if a metric or column is missing.
std::optional<TableErrors> compare_measured(EvaluatedTable& table, const std::vector<MeasurementColumn>& measured, const std::vector<std::string>& by,
                                            Diagnostics& diagnostics);

}  // namespace opledger
