#pragma once
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "questions/explain/explanation.h"
#include "run/run.h"

namespace opledger {

/// A table of the accounting as the points of its rows.
struct ExplainedTable {
  std::string name;         ///< Name of the table.
  std::vector<Point> rows;  ///< Point of each row.
};

/// Explanations of everything on a page about a run, within a limit: metrics, columns of tables, quantities of nodes,
/// and the names that they depend on. Shared names are expanded once, so the result is a graph and not a tree.
struct ExplainedRun {
  Explanations all;                                  ///< `names`: the expansion table; each entry has one level, and refers to entries below it.
  std::vector<std::pair<std::string, int>> metrics;  ///< Published names and their entries.
  /// Column, such as `stages.memory`, and the index in `all.definitions` of the definition for the first row.
  std::vector<std::pair<std::string, int>> columns;
  std::vector<std::pair<std::string, std::vector<int>>> cells;  ///< Column and the entry of each row, -1 for none; small tables only.
  std::size_t left_out = 0;                                     ///< Number of references without an entry because of the limit.
};

/// Default limit of entries, which quantities of nodes and cells of tables may exceed.
inline constexpr std::size_t kMostExplained = 1'500;

/// Number of nodes with a whole explanation, about 2 kB of a page each; the remaining nodes are brief.
inline constexpr std::size_t kMostExplainedNodes = 2'000;

/// Explains the metrics, tables and nodes of a run with at most `most` entries. Quantities of nodes and cells may
/// exceed this limit by a limited number.
ExplainedRun explain_run(Run& run, const std::vector<std::string>& metrics, const std::vector<ExplainedTable>& tables, std::size_t most = kMostExplained);

}  // namespace opledger
