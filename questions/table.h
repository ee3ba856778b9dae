#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/csv.h"
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

/// The columns `model`, `execution` and `system` name documents, `rules` lists them in place of the execution's; every other one is an input of the accounting or a parameter of the model, and wins over what the
/// documents say. An empty cell says nothing. `request` gives what the columns leave out. The result has the columns of the table, `outcome` (`ok`, or `error:`
/// and the reason) and every published metric of the accounting; columns that are called so already are replaced. Columns `beside` may be nothing that a run knows. For people these are the metrics that the
/// accounting's report `eval` shows them. Empty, with errors, if no row can be understood.
std::optional<EvaluatedTable> evaluate_table(const Csv& table, const std::shared_ptr<const SourceFile>& source, const RunRequest& request, Library& library,
                                             Diagnostics& diagnostics, bool for_people = false, const std::vector<std::string>& beside = {});

}  // namespace opledger
