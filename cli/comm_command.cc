// `comm`: the report `comm`; with `--groups` the ranks that communicate.
#include <fmt/core.h>

#include <algorithm>

#include "cli/report_outcome.h"
#include "report/groups_report.h"
#include "report/writers.h"

namespace opledger {

namespace {

/// Returns the reason why no ranks communicate, for people.
std::string why_none(const CommunicatingRanks& ranks) {
  if (ranks.ranks == 1) return "the run has only one rank";
  return fmt::format("none of the {} ranks sends anything to another by the rules of this run", ranks.ranks);
}

}  // namespace

/// Runs `comm`: the accounting's report `comm`, or with `--groups` the ranks that communicate. People get a table of
/// groups for each set of axes (`ranks_…`). Programs get one complete table `groups` instead. People get `groups` too
/// if `--only` is given, because it may name this table. JSON of the whole report is written directly (`as_json`),
/// because a Value for each rank would need far more memory.
Outcome comm_command(const Command& command, const Options& options, Library& library, Diagnostics& diagnostics) {
  if (!options.groups) return report_command(command, options, library, diagnostics);
  const std::unique_ptr<Run> run = Run::prepare(run_request(options, options.arguments), library, diagnostics);
  if (!run) return {};
  if (!run->has_graph()) {
    diagnostics.error({}, fmt::format("the accounting `{}` has no graph whose ranks could communicate", run->accounting()));
    return {};
  }
  const std::optional<CommunicatingRanks> ranks = communicating_ranks(*run, diagnostics);
  if (!ranks) return {};
  Report report{run->request().model, run->request().execution, run->request().system, run->accounting()};
  const Format format = find_format(options.format).value_or(Format::text);
  const bool for_people = is_for_people(format);
  const bool as_json = format == Format::json && options.only.empty() && !names_folder(options.output);
  add_groups(*ranks, options.all, !as_json && (!for_people || !options.only.empty()), report);
  const auto redundant = [&](const ReportTable& table) { return !for_people && table.name.rfind("ranks_", 0) == 0; };
  report.tables.erase(std::remove_if(report.tables.begin(), report.tables.end(), redundant), report.tables.end());
  if (as_json) return {write_groups_json(*ranks, report), {}};
  if (!options.only.empty() && !keep_only(options.only, report, diagnostics)) return {};
  Outcome outcome = report_outcome(report, options, diagnostics);
  if (ranks->axes.empty() && for_people) outcome.text += fmt::format("\nNo groups: {}.\n", why_none(*ranks));
  return outcome;
}

}  // namespace opledger
