// `eval`, `params`, `flops`, `memory`, `comm`: the report of that name in the accounting.
#include "cli/command.h"
#include "report/writers.h"

namespace opledger {

Outcome report_command(const Command& command, const Options& options, Library& library, Diagnostics& diagnostics) {
  const std::unique_ptr<Run> run = Run::prepare(run_request(options, options.arguments), library, diagnostics);
  if (!run) return {};
  const std::optional<Report> report = build_report(*run, std::string(command.name), diagnostics);
  if (!report) return {};
  Outcome outcome;
  outcome.text = write(*report, find_format(options.format).value_or(Format::text));
  for (const Violation& violation : report->violations) {
    const bool told_twice = violation.reason.empty() || violation.reason == violation.message;
    outcome.infeasible.push_back(told_twice ? violation.message : violation.reason + ": " + violation.message);
  }
  return outcome;
}

}  // namespace opledger
