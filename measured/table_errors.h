#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "measured/validation.h"
#include "questions/table.h"

/// Relative errors of the runs of a table against measured columns.
namespace opledger {

/// A metric with its column of measurements: `tpot=tpot_ms:ms`. Without a unit, the numbers of the column are in base
/// units.
struct MeasurementColumn {
  std::string metric, column;  ///< Name of the metric, and of the column of the table.
  std::optional<Unit> unit;    ///< Unit of the column's numbers.

  /// Parses the option `METRIC=COLUMN:UNIT`, split at its `=`; the unit is optional. Returns nothing and reports an
  /// error if the table lacks the column or the unit is unknown.
  static std::optional<MeasurementColumn> parse(const std::string& metric, const std::string& column, const Csv& table, Diagnostics& diagnostics);
};

/// Errors of metrics by groups of rows.
struct TableErrors {
  /// Errors of one metric over the rows of one group.
  struct Group {
    std::vector<std::string> words;  ///< Values in the grouping columns; empty texts for the group of all rows.
    std::string metric;              ///< Name of the metric.
    ValidationErrors errors;         ///< Errors of rows with a measured and a computed value.
    std::size_t without = 0;         ///< Number of measured rows without a computed value.
  };
  std::vector<std::string> by;  ///< Names of the grouping columns.
  std::vector<Group> groups;    ///< Groups of the first metric in order of occurrence, its group of all rows, then the next metric.
};

/// Returns the columns that runs need not know: measured columns and grouping columns.
std::vector<std::string> non_run_columns(const std::vector<MeasurementColumn>& measured, const std::vector<std::string>& by);

/// Adds a column `METRIC_error` with relative errors to the rows, and returns errors by groups. `table` must have all
/// metrics. Empty, with errors, if a metric or column is missing.
std::optional<TableErrors> compare_measured(EvaluatedTable& table, const std::vector<MeasurementColumn>& measured, const std::vector<std::string>& by,
                                            Diagnostics& diagnostics);

}  // namespace opledger
