// `explore`: a run, two that are compared, or what a search found, as one page.
#include <fmt/core.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/explorer_frame.h"
#include "cli/run_pair.h"
#include "questions/difference.h"
#include "report/diff_report.h"
#include "report/explore_page.h"

namespace opledger {
namespace {

/// The words that ask for a run, behind the name of a command.
std::string words_of(const RunRequest& request) {
  std::vector<std::string> words;
  for (const std::string* document : {&request.model, &request.execution, &request.system}) {
    if (!document->empty()) words.push_back(shell_word(*document));
  }
  if (!request.accounting.empty()) words.push_back("--accounting " + shell_word(request.accounting));
  for (const auto& [key, value] : request.overrides) words.push_back("--set " + shell_word(key + "=" + value));
  return join(words, " ");
}

std::string title_of(const ExploredRun& run) {
  std::vector<std::string> parts = {run.report.model, run.report.execution, run.report.system};
  std::erase(parts, "");
  return join(parts, " \u00b7 ");
}

/// A page without a run is nothing to look at: what is wrong with it stands on the page, and beside it for scripts.
Outcome written_page(const ExploredPage& page, const Options& options) {
  Outcome out;
  for (const ExploredRun* run : page.runs) {
    for (std::string& line : infeasible_lines(run->report.violations)) out.infeasible.push_back(std::move(line));
  }
  const std::string data = write_explore_json(page);
  out.text = options.format == "json" ? data + "\n" : write_explore_page(explorer_frame(), page.title, data);
  return out;
}

Outcome explore_one(const RunRequest& request, const Options& options, Library& library, Diagnostics& diagnostics) {
  const std::unique_ptr<Run> run = Run::prepare(request, library, diagnostics);
  if (run == nullptr) return {};
  const std::optional<ExploredRun> explored = explore(*run, words_of(request), diagnostics);
  return explored ? written_page({title_of(*explored), {&*explored}}, options) : Outcome{};
}

Outcome explore_two(const RunRequest& request, const Options& options, Library& library, Diagnostics& diagnostics) {
  const RunRequest other = changed(request, options.against);
  const RunPair runs = prepare_pair(request, other, library, diagnostics);
  if (runs.first == nullptr || runs.second == nullptr) return {};
  const std::optional<ExploredRun> first = explore(*runs.first, words_of(request), diagnostics);
  const std::optional<ExploredRun> second = explore(*runs.second, words_of(other), diagnostics);
  if (!first || !second) return {};
  const Differences all = differences(*runs.first, *runs.second);
  const Report report = build_report(all, *runs.first, *runs.second);
  std::string title = title_of(*first) + " against";
  for (const auto& [key, value] : options.against) title += " " + key + "=" + value;
  return written_page({title, {&*first, &*second}, &report}, options);
}

}  // namespace

Outcome explore_command(const Command&, const Options& options, Library& library, Diagnostics& diagnostics) {
  const RunRequest request = run_request(options, options.arguments);
  return options.against.empty() ? explore_one(request, options, library, diagnostics) : explore_two(request, options, library, diagnostics);
}

}  // namespace opledger
