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

/// A run for every row of a table.
namespace opledger {

struct EvaluatedTable {
  struct Metric {
    std::string name, unit;  ///< As declared.
  };
  Csv rows;                                 ///< Lines are those of the table that was evaluated.
  std::vector<Metric> metrics;              ///< The last columns.
  std::vector<std::vector<Value>> figures;  ///< Of the rows, those of these that are numbers; none of a row that could not be evaluated.
  std::size_t failed = 0;                   ///< Rows that could not be.
};

/// Rows that are gone over from the first on, as often as is needed.
struct TableRows {
  std::vector<std::string> columns;
  std::function<void(FunctionRef<bool(const Csv::Row&)> visit)> each;  ///< Until `visit` says no.
};

/// The table must outlive them.
TableRows rows_of(const Csv& table);
/// Those of a file, each read when it is visited. Empty, with an error, where `parse_csv` has one.
std::optional<TableRows> rows_of(const std::shared_ptr<const SourceFile>& source, Diagnostics& diagnostics);

/// The columns `model`, `execution` and `system` name documents, `rules` lists them in place of the execution's; every other one is an input of the accounting or a parameter of the model, and wins over what the
/// documents say. An empty cell says nothing. `request` gives what the columns leave out. The result has the columns of the table, `outcome` (`ok`, or `error:`
/// and the reason) and every published metric of the accounting; columns that are called so already are replaced. Columns `beside` may be nothing that a run knows. For people these are the metrics that the
/// accounting's report `eval` shows them.
class TableRuns {
 public:
  /// Empty, with errors, if no row can be understood. All that it is given must outlive it.
  static std::optional<TableRuns> prepare(TableRows rows, const std::shared_ptr<const SourceFile>& source, const RunRequest& request, Library& library,
                                          Diagnostics& diagnostics, bool for_people = false, const std::vector<std::string>& beside = {});

  const std::vector<std::string>& columns() const { return columns_; }
  const std::vector<EvaluatedTable::Metric>& metrics() const { return metrics_; }

  struct Count {
    std::size_t rows = 0, failed = 0;
  };
  using HandOn = FunctionRef<bool(Csv::Row& row, std::vector<Value>& figures)>;
  /// Hands on row by row what an EvaluatedTable has of each, until that says no: nothing is kept.
  Count each(HandOn hand_on) { return each_(hand_on); }
  EvaluatedTable all();

 private:
  std::vector<std::string> columns_;
  std::vector<EvaluatedTable::Metric> metrics_;
  std::function<Count(HandOn)> each_;
};

/// All rows at once. Empty, with errors, if no row can be understood.
std::optional<EvaluatedTable> evaluate_table(const Csv& table, const std::shared_ptr<const SourceFile>& source, const RunRequest& request, Library& library,
                                             Diagnostics& diagnostics, bool for_people = false, const std::vector<std::string>& beside = {});

}  // namespace opledger
