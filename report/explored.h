#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "play/timeline.h"
#include "questions/explain/opened_run.h"
#include "report/report.h"

/// All that a page shows of a run, as plain data. Texts belong to the run, so it must not outlive it.
namespace opledger {

struct ExploredRun {
  std::string command;                                                       ///< The words behind `opledger` that ask for it.
  Report report;                                                             ///< Metrics and tables of all views; a metric's id is its name.
  std::vector<std::pair<std::string, std::vector<ReportSection>>> sections;  ///< By report: what stands below which heading.
  std::vector<std::pair<std::string, std::string>> headline;                 ///< What tells most of it: words for people, a metric each.
  std::map<std::string, double> layers;                                      ///< By segment.
  std::map<std::string, std::string> docs;                                   ///< Of tables.
  std::vector<View> views;                                                   ///< Of what can be computed.
  const Graph* graph = nullptr;                                              ///< Null: the accounting has none.
  const Annotations* annotations = nullptr;
  OpenedRun opened;
  std::optional<Timeline> timeline;  ///< Empty: there is nothing to play, or too much.
};

/// The words that ask for the numbers of a run: `eval MODEL …`. `path`: folders that documents are looked for in first.
std::string eval_words(const RunRequest& request, const std::vector<std::string>& path);

/// Its documents, for people.
std::string title_of(const ExploredRun& run);

/// Empty, with errors, if its reports can't be computed.
std::optional<ExploredRun> explore(Run& run, const std::string& command, Diagnostics& diagnostics);

}  // namespace opledger
