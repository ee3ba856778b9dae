// `eval`, `params`, `flops`, `memory`, `comm`: the report of that name in the accounting.
#include "cli/command.h"
#include "report/csv_json.h"
#include "report/writers.h"
#include "run/table.h"
#include "schemas/document.h"

namespace opledger {

namespace {

std::vector<std::string> reports_of(const Command& command, const Options& options) {
  std::vector<std::string> names = {std::string(command.name)};
  if (options.layers) names.emplace_back("layers");
  return names;
}

/// A result has the form of the table: text is CSV.
Outcome table_command(const Options& options, Library& library, Diagnostics& diagnostics) {
  if (options.format == "markdown") {
    diagnostics.error({}, "`--table` is written as csv or json, not as markdown");
    return {};
  }
  const std::shared_ptr<const SourceFile> source = read_source(options.table, diagnostics, {}, kMaxTableBytes);
  const std::optional<Csv> table = source == nullptr ? std::nullopt : parse_csv(source, diagnostics);
  if (!table) return {};
  RunRequest request = run_request(options, options.arguments);
  if (!options.model.empty()) request.model = options.model;
  if (!options.system.empty()) request.system = options.system;
  std::string rows = evaluate_table(*table, source, request, library, diagnostics).value_or("");
  if (options.format != "json" || diagnostics.failed()) return {std::move(rows), {}};
  auto result = std::make_shared<SourceFile>();
  result->path = options.table;
  result->text = std::move(rows);
  const std::optional<Csv> evaluated = parse_csv(result, diagnostics);
  return {evaluated ? csv_as_json(*evaluated) : "", {}};
}

Outcome reported(Run& run, const Command& command, const Options& options, Diagnostics& diagnostics) {
  const std::optional<Report> report = build_report(run, reports_of(command, options), diagnostics);
  if (!report) return {};
  return {write(*report, find_format(options.format).value_or(Format::text)), infeasible_lines(report->violations)};
}

}  // namespace

Outcome report_command(const Command& command, const Options& options, Library& library, Diagnostics& diagnostics) {
  if (!options.table.empty()) return table_command(options, library, diagnostics);
  const std::unique_ptr<Run> run = Run::prepare(run_request(options, options.arguments), library, diagnostics);
  return run == nullptr ? Outcome{} : reported(*run, command, options, diagnostics);
}

std::vector<std::string> infeasible_lines(const std::vector<Violation>& violations) {
  std::vector<std::string> lines;
  for (const Violation& violation : violations) {
    const bool told_twice = violation.reason.empty() || violation.reason == violation.message;
    lines.push_back(told_twice ? violation.message : violation.reason + ": " + violation.message);
  }
  return lines;
}

}  // namespace opledger
