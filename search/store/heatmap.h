#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/units.h"

/// The best value of a metric for every pair of values of two axes, from what a search has written down.
namespace opledger {

struct HeatmapRequest {
  std::string runs;         ///< A store, or CSV of all candidates.
  std::string x, y, value;  ///< Behind `+` the largest value is the best, behind `-` the smallest; empty: a store's objective.
};

struct Heatmap {
  struct Axis {
    std::string name;
    std::vector<std::string> labels;  ///< Numbers in their order, words in the space's.
  };
  enum class Kind : std::uint8_t { none, infeasible, feasible };
  struct Cell {
    Kind kind = Kind::none;  ///< none: no candidate, or none that is known of.
    double best = 0;
  };

  Axis x, y;
  std::string value;
  Dimension unit;
  bool largest = true;  ///< Is the best.
  bool knows_infeasible = false;
  std::vector<std::vector<Cell>> cells;  ///< By position on y, then x.
  std::string about;                     ///< What was searched, for people; may be empty.
};

/// Empty, with errors, if the file can't be read or has no such axis or metric.
std::optional<Heatmap> read_heatmap(const HeatmapRequest& request, Diagnostics& diagnostics);

}  // namespace opledger
