#pragma once
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "questions/explain/explanation.h"
#include "run/run.h"

namespace opledger {

/// Rows of an accounting's table, by their points.
struct OpenedTable {
  std::string name;
  std::vector<Point> rows;
};

/// What the numbers of a run rest on, as far as there is room: metrics, columns of tables, quantities of nodes, and whatever these are made of.
struct OpenedRun {
  Explanations all;                                             ///< `names`: each opened one level, what is below them by place.
  std::vector<std::pair<std::string, int>> metrics;             ///< Published names that can be opened, and their places.
  std::vector<std::pair<std::string, int>> columns;             ///< `stages.memory`, and the position in `all.definitions` of what counts in the first row.
  std::vector<std::pair<std::string, std::vector<int>>> cells;  ///< `stages.memory`, and the place of each row; -1: none. Of small tables.
  std::size_t left_out = 0;                                     ///< How often something is told without being opened, because there are too many.
};

/// Names that a page has room for, without those of very many nodes: some 40 kB of it, compressed.
inline constexpr std::size_t kMostOpened = 1'500;

OpenedRun open_run(Run& run, const std::vector<std::string>& metrics, const std::vector<OpenedTable>& tables, std::size_t most = kMostOpened);

}  // namespace opledger
