#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "play/timeline.h"
#include "questions/explain/explained_run.h"
#include "report/report.h"
#include "run/hints.h"

/// The data of a run for the explorer's page. Texts point into the run, which must outlive the data.
namespace opledger {

/// Everything shown about a run.
struct ExploredRun {
  std::string command;                                                       ///< Arguments of `opledger` that compute this run.
  Report report;                                                             ///< Metrics and tables of every report; the id of a metric is its name.
  std::vector<std::pair<std::string, std::vector<ReportSection>>> sections;  ///< Sections of each report, by its name.
  std::vector<std::pair<std::string, std::string>> headline;                 ///< Label and metric of the main figures.
  std::map<std::string, double> layers;                                      ///< Number of layers by segment.
  std::map<std::string, std::string> docs;                                   ///< Documentation of tables, by name of the table.
  std::vector<GivenHint> hints;                                              ///< The most important hints, largest weight first.
  std::vector<View> views;                                                   ///< Views of the accounting that can be computed.
  const Graph* graph = nullptr;                                              ///< Operator graph; null: the accounting has none.
  const Annotations* annotations = nullptr;                                  ///< Placements and transfers of the graph; null: no rules were applied.
  ExplainedRun opened;                                                       ///< Explanations of metrics, columns and nodes.
  std::optional<Timeline> timeline;  ///< Simulated step, of a large one the first microbatches; empty: no graph, no schedule, or a violated constraint.
};

/// Returns the arguments that evaluate a request: `eval MODEL …`. `path`: folders searched first for documents.
std::string eval_words(const RunRequest& request, const std::vector<std::string>& path);

/// Returns the run's documents as a title for people.
std::string title_of(const ExploredRun& run);

/// Computes the data of a run. `command` is stored as the arguments that compute the run. Returns nothing, with errors,
/// if a report or table cannot be computed. Other missing parts stay empty without an error.
std::optional<ExploredRun> explore(Run& run, const std::string& command, Diagnostics& diagnostics);

}  // namespace opledger
