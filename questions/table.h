#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/csv.h"
#include "base/function_ref.h"
#include "run/run.h"

/// Evaluation of a table with one run per row.
namespace opledger {

/// A table with computed metrics, entirely in memory.
struct EvaluatedTable {
  /// A metric with its declared unit.
  struct Metric {
    std::string name, unit;  ///< Name of the metric, and its unit as the accounting declares it.
  };
  Csv rows;                                 ///< Rows keep the line numbers of the input table.
  std::vector<Metric> metrics;              ///< Metrics of the last columns, in order.
  std::vector<std::vector<Value>> figures;  ///< Metric values by row, with text values left empty; no values for a row that can't be computed.
  std::size_t failed = 0;                   ///< Number of rows that are infeasible or can't be computed.
  std::size_t outcome = 0;                  ///< Position of the column `outcome`.

  /// Returns whether the run of a row is feasible.
  bool is_feasible(std::size_t row) const { return rows.rows[row].cells[outcome] == "ok"; }
};

/// A re-readable sequence of rows. A file is read again for each traversal, so that large tables need not fit in
/// memory.
struct TableRows {
  std::vector<std::string> columns;                                    ///< Titles of the columns.
  std::function<void(FunctionRef<bool(const Csv::Row&)> visit)> each;  ///< Visits rows until `visit` returns false.
};

/// Returns the rows of a table, which must outlive the result.
TableRows rows_of(const Csv& table);
/// Returns the rows of a file, parsed again on each traversal. Empty, with an error, if `parse_csv` would fail.
std::optional<TableRows> rows_of(const std::shared_ptr<const SourceFile>& source, Diagnostics& diagnostics);

/// Evaluates one run per row. The columns `model`, `execution` and `system` name documents, and `rules` replaces the
/// execution's list of rules. Every other column sets an input of the accounting, a parameter of the model or a field of
/// the system, and overrides the documents.
/// An empty cell sets nothing; `request` supplies the rest. The result has the input columns, `outcome` (`ok`, or
/// `infeasible:` or `error:` and the reason) and the published metrics of the accounting, which a row with an error lacks.
/// An input column with the name of a metric is replaced.
/// `extra_columns` need not be known to any run. With `for_people`, the metrics are those of the accounting's report
/// `eval`.
class TableRuns {
 public:
  /// Prepares the runs of a table. Empty, with errors, if no row can be prepared, or if a column is unknown. All
  /// arguments must outlive the result.
  static std::optional<TableRuns> prepare(TableRows rows, const std::shared_ptr<const SourceFile>& source, const RunRequest& request, Library& library,
                                          Diagnostics& diagnostics, bool for_people = false, const std::vector<std::string>& extra_columns = {});

  /// Returns the columns of the result: input columns, `outcome`, then metrics.
  const std::vector<std::string>& columns() const { return columns_; }
  /// Returns the metrics of the last columns, in order.
  const std::vector<EvaluatedTable::Metric>& metrics() const { return metrics_; }

  /// Numbers of rows.
  struct Count {
    std::size_t rows = 0, failed = 0;  ///< Rows passed on, and rows among them that are infeasible or can't be computed.
  };
  /// Receives a row and its metric values; returns false to stop.
  using RowVisitor = FunctionRef<bool(Csv::Row& row, std::vector<Value>& figures)>;
  /// Evaluates rows and passes them on in order, without storing them.
  Count each(RowVisitor visit) { return each_(visit); }
  /// Evaluates all rows and returns them as a table in memory.
  EvaluatedTable all();

 private:
  std::vector<std::string> columns_;
  std::vector<EvaluatedTable::Metric> metrics_;
  std::function<Count(RowVisitor)> each_;
};

/// Evaluates the whole table at once; arguments and failures as for TableRuns::prepare.
std::optional<EvaluatedTable> evaluate_table(const Csv& table, const std::shared_ptr<const SourceFile>& source, const RunRequest& request, Library& library,
                                             Diagnostics& diagnostics, bool for_people = false, const std::vector<std::string>& extra_columns = {});

}  // namespace opledger
