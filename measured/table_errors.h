#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "measured/validation.h"
#include "questions/table.h"

/// How far the runs of a table are from what was measured of them.
namespace opledger {

/// `tpot=tpot_ms:ms`: the metric, the column of what was measured, its unit; none: that of the metric.
struct Measured {
  std::string metric, column;
  std::optional<Unit> unit;

  /// Empty, with an error, if the table has no such column or there is no such unit.
  static std::optional<Measured> parse(const std::string& metric, const std::string& column, const Csv& table, Diagnostics& diagnostics);
};

struct TableErrors {
  struct Group {
    std::vector<std::string> words;  ///< In the columns that rows are grouped by; of all rows together empty.
    std::string metric;
    ValidationErrors errors;
    std::size_t without = 0;  ///< Rows that were measured, and have no figures.
  };
  std::vector<std::string> by;
  std::vector<Group> groups;  ///< As their first rows are met; then all together.
};

/// Columns that need not be part of runs.
std::vector<std::string> beside_runs(const std::vector<Measured>& measured, const std::vector<std::string>& by);

/// Adds a column `METRIC_error` to the rows, a share of what was measured, and tells all of them by groups. `table` has all metrics. Empty, with errors, if there is no such
/// metric or column.
std::optional<TableErrors> compare_measured(EvaluatedTable& table, const std::vector<Measured>& measured, const std::vector<std::string>& by,
                                            Diagnostics& diagnostics);

}  // namespace opledger
