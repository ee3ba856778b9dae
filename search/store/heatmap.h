#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/units.h"

/// The best value of a metric for every pair of values of two axes, read from the results of a search.
namespace opledger {

/// The file to read and the two axes and the metric to show.
struct HeatmapRequest {
  std::string runs;  ///< Path of a store, or of a CSV file with all candidates.
  /// Names of two axes and a metric. A prefix `+` of the metric shows the largest value, `-` the smallest. Without a
  /// prefix, a store shows the best value of its objective and the smallest value of another metric; a CSV file shows
  /// the largest. An empty metric is the objective of the store; a CSV file needs a metric.
  std::string x, y, value;
};

/// A table of the best values over two axes.
struct Heatmap {
  /// A direction of the map.
  struct Axis {
    std::string name;  ///< Name of the search's axis.
    /// Values as text, numbers with their unit: in ascending order if all values are numbers, else in the order of their
    /// first appearance.
    std::vector<std::string> labels;
  };
  /// The best outcome of a pair of values: no known candidate, only infeasible candidates, or a feasible candidate.
  enum class Kind : std::uint8_t { none, infeasible, feasible };
  /// The best candidate of a pair of values.
  struct Cell {
    Kind kind = Kind::none;
    double best = 0;  ///< Value in base units; 0 unless feasible.
  };

  Axis x, y;
  std::string value;                     ///< Name of the metric.
  Dimension unit;                        ///< Unit of the metric; plain if the file states none.
  bool largest = true;                   ///< True if the largest value is the best; otherwise the smallest is.
  bool knows_infeasible = false;         ///< True for a store, which lists infeasible pairs unless the pairs are too many; false for a CSV file.
  std::vector<std::vector<Cell>> cells;  ///< Cells by position on y, then x.
  std::string about;                     ///< Title: model, system and space; may be empty.
};

/// Reads a map. Returns nothing, with errors, if the file can't be read, has no such axis or metric, or no candidates, or
/// if an axis has too many values.
std::optional<Heatmap> read_heatmap(const HeatmapRequest& request, Diagnostics& diagnostics);

}  // namespace opledger
