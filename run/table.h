#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/csv.h"
#include "run/run.h"

/// A run for every row of a table.
namespace opledger {

/// The columns `model` and `system` name documents; every other one is an input of the accounting or a parameter of the model, and wins over what the
/// documents say. An empty cell says nothing. `request` gives what the columns leave out. The result has the columns of the table, `outcome` (`ok`, or `error:`
/// and the reason) and every published metric of the accounting; columns that are called so already are replaced. Empty, with errors, if no row can be
/// understood.
std::optional<std::string> evaluate_table(const Csv& table, const std::shared_ptr<const SourceFile>& source, const RunRequest& request, Library& library,
                                          Diagnostics& diagnostics);

}  // namespace opledger
