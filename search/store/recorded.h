#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "run/documents.h"

/// What a search has written down, as far as people look at it: of millions of candidates those that matter.
namespace opledger {

struct RecordedRequest {
  std::string path;                      ///< A store, or CSV of all candidates.
  std::string value;                     ///< What is best: behind `+` the largest value, behind `-` the smallest. Empty: a store's objective.
  std::vector<std::string> pareto = {};  ///< Metrics of the front besides it: behind `+` the largest is the best. Empty: the first that is there.
};

struct RecordedCell {
  std::string text;              ///< Of a word; of a number as it is written.
  std::optional<double> number;  ///< In base units.
};

struct Recorded {
  struct Column {
    std::string name, unit;  ///< `byte`, `1`; empty: no number, or none is told.
  };
  std::vector<Column> axes, metrics;
  std::string objective;  ///< One of the metrics.
  bool largest = true;    ///< Is the best.
  std::size_t total = 0;  ///< Candidates that were read.
  /// The best, the front, and of every two axes the best of each pair of values, in the order of the file: axes, then metrics.
  std::vector<std::vector<RecordedCell>> rows;
  std::vector<std::pair<std::size_t, bool>> pareto;  ///< Positions in `metrics`, and whether the largest is the best: the objective, then those of the front.
  std::vector<std::size_t> front;            ///< Positions in `rows`: no other candidate is as good in all of these and better in one. Of a large one some.
  std::size_t front_size = 0;                ///< Of the whole front.
  std::vector<std::size_t> best;             ///< Positions by the objective, the best first.
  std::map<std::string, std::string> facts;  ///< Of a store: its search.

  bool is_complete() const {  ///< A search that was interrupted may have found better ones later.
    const auto found = facts.find("complete");
    return found == facts.end() || found->second != "false";
  }
  bool knows_documents() const { return facts.count("space") != 0; }
};

/// Whether a file is what a search has written down: a SQLite file, or CSV by its name.
bool is_recorded(const std::string& path);

/// Empty, with errors, if it can't be read, or has no candidates.
std::optional<Recorded> read_recorded(const RecordedRequest& request, Diagnostics& diagnostics);

/// The run of a candidate, of a store.
RunRequest recorded_run(const Recorded& recorded, std::size_t row);
/// What it is set to, as `--set` takes it.
std::vector<std::pair<std::string, std::string>> recorded_settings(const Recorded& recorded, std::size_t row);

}  // namespace opledger
