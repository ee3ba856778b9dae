#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "run/documents.h"

/// The stored results of a search, reduced for display. A file may have millions of candidates; kept are the best
/// candidates, the Pareto front, and the best candidate for every pair of values of two axes, as far as both values are
/// among the first 32 of their axis.
namespace opledger {

/// The file to read and the metrics to compare.
struct RecordedRequest {
  std::string path;  ///< A store, or a CSV file with all candidates.
  /// Metric to optimize; empty: the store's objective. A prefix `+` maximizes, `-` minimizes. Without a prefix, the
  /// objective of a store keeps its direction, another metric of a store is minimized, a column of a CSV file maximized.
  std::string value;
  /// Further metrics of the front; a prefix `+` maximizes. Empty: the first metric that is not the objective.
  std::vector<std::string> pareto = {};
};

/// One value of a row.
struct RecordedCell {
  std::string text;              ///< A word, or a number; empty without a value.
  std::optional<double> number;  ///< Value in base units; empty for a word, without a value, or if not finite.
};

/// The candidates kept for display, with the columns of the file.
struct RecordedSearch {
  /// A column of the file.
  struct Column {
    std::string name, unit;  ///< Unit such as `byte` or `1`; empty for words or if the file states none.
  };
  std::vector<Column> axes, metrics;  ///< Columns of a row, axes first.
  std::string objective;              ///< Name of the metric to optimize.
  bool largest = true;                ///< True if the objective is maximized.
  std::size_t total = 0;              ///< Number of candidates in the file.
  /// The candidates kept, in the order of the file; cells of axes, then of metrics.
  std::vector<std::vector<RecordedCell>> rows;
  /// Metrics of the front: position in `metrics` and whether the largest value is best. The objective comes first.
  std::vector<std::pair<std::size_t, bool>> pareto;
  /// Positions in `rows` of the Pareto front: no candidate is at least as good in every metric and better in one. A
  /// large front is sampled evenly; a front of too many points is empty (RecordedFront).
  std::vector<std::size_t> front;
  std::size_t front_size = 0;                ///< Size of the front before sampling.
  std::vector<std::size_t> best;             ///< Positions in `rows` by the objective, best first.
  std::map<std::string, std::string> facts;  ///< The `search` table of a store: names of documents, settings, state.

  /// Returns whether the search ran to its end. An interrupted search may have missed better candidates.
  bool is_complete() const {
    const auto found = facts.find("complete");
    return found == facts.end() || found->second != "false";
  }
  /// Returns whether the file names the documents of its search, as stores do.
  bool knows_documents() const { return facts.count("space") != 0; }
};

/// Returns whether a file holds results of a search: a SQLite file by its header, or a CSV file by its name.
bool is_recorded(const std::string& path);

/// Reads a file of results. Returns nothing, with errors, if the file can't be read or has no candidates.
std::optional<RecordedSearch> read_recorded(const RecordedRequest& request, Diagnostics& diagnostics);

/// Returns the run of a stored candidate. Requires `knows_documents`.
RunRequest recorded_run(const RecordedSearch& recorded, std::size_t row);
/// Returns the axes of a candidate as pairs of name and value, in the form of the option `--set`.
std::vector<std::pair<std::string, std::string>> recorded_settings(const RecordedSearch& recorded, std::size_t row);

}  // namespace opledger
