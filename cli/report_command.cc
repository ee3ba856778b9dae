// `eval`, `params`, `flops`, `memory`, `comm`: the accounting's report of the same name.
#include <fmt/core.h>

#include "base/lists.h"
#include "base/text.h"
#include "cli/report_outcome.h"
#include "questions/table.h"
#include "report/table_report.h"
#include "report/table_stream.h"
#include "report/writers.h"
#include "schemas/document.h"

namespace opledger {

namespace {

/// Returns the reports that a command shows: the report of its name, or with `--at` and `--over` the reports
/// `NAME_at_…` and `NAME_over_…`; with `--layers` also `layers`.
std::vector<std::string> reports_of(const Command& command, const Options& options) {
  const std::string name(command.name);
  std::vector<std::string> names;
  if (!options.program_point.empty()) names.push_back(name + "_at_" + options.program_point);
  if (!options.over.empty()) names.push_back(name + "_over_" + options.over);
  if (names.empty()) names.push_back(name);
  if (options.layers) names.emplace_back("layers");
  return names;
}

/// Checks the value of an option that selects a report, such as `memory_at_peak`. The accounting's reports decide
/// which values exist.
bool is_reported(const Run& run, const std::string& prefix, const char* option, const std::string& value, Diagnostics& diagnostics) {
  std::vector<std::string> known;
  for (const auto& [name, _] : run.program().reports) {
    if (name.rfind(prefix, 0) == 0) known.push_back(name.substr(prefix.size()));
  }
  if (value.empty() || contains(known, value)) return true;
  diagnostics.error({}, known.empty() ? fmt::format("`{}`: the accounting `{}` has no such report", option, run.accounting())
                                      : fmt::format("`{}` takes {}, not `{}`{}", option, join(known, ", "), value, suggestion(value, known)));
  return false;
}

std::string table_text(const EvaluatedTable& table, const Options& options) {
  if (options.format == "csv") return csv_lines(table.rows);
  return write(build_report(table, options.table, options.accounting), find_format(options.format).value_or(Format::text), options.page);
}

std::string errors_text(const TableErrors& errors, const Options& options) {
  return write(build_report(errors, options.table, options.accounting), find_format(options.format).value_or(Format::text), options.page);
}

/// Reports rows that are infeasible or can't be computed: a failure if every row failed, otherwise a warning. Scripts need not read the table
/// to notice.
void report_failures(const TableRuns::Count& count, const std::string& file, Outcome& outcome, Diagnostics& diagnostics) {
  if (count.failed == 0) return;
  const std::string rows = fmt::format("{}: {} of {} rows {} infeasible or can't be computed: see the reasons in the result", file, count.failed, count.rows,
                                       count.failed == 1 ? "is" : "are");
  if (count.failed == count.rows) {
    outcome.failures.push_back(rows);
  } else {
    diagnostics.warning({}, rows);
  }
}

/// Evaluates a table as a whole, for people or for a comparison with measured values.
Outcome whole_table(const Options& options, TableRuns& runs, const std::vector<MeasurementColumn>& measured, Diagnostics& diagnostics) {
  EvaluatedTable table = runs.all();
  const std::optional<TableErrors> errors = compare_measured(table, measured, options.by, diagnostics);
  if (!errors) return {};
  Outcome outcome{measured.empty() || options.format == "csv" ? table_text(table, options) : errors_text(*errors, options), {}};
  report_failures({table.rows.rows.size(), table.failed}, options.table, outcome, diagnostics);
  return outcome;
}

/// Writes each row as soon as it is evaluated, so large tables need no memory.
Outcome streamed_table(const Options& options, TableRuns& runs, Diagnostics& diagnostics) {
  Outcome outcome;
  outcome.stream = std::make_shared<TableStream>(runs.columns(), options.format == "json");
  std::string problem = outcome.stream->open(options.output);
  const auto write = [&](const Csv::Row& row, const std::vector<Value>&) {
    problem = outcome.stream->write(row.cells);
    return problem.empty();
  };
  if (problem.empty()) report_failures(runs.each(write), options.table, outcome, diagnostics);
  outcome.reader_gone = outcome.stream->reader_gone();
  if (!problem.empty()) diagnostics.error({}, problem);
  return outcome;
}

/// Runs `eval --table`: one run for each row of a CSV file. `measured` are columns with measured values; they and the
/// columns of `--by` are no inputs of a run. Texts for people, and errors against measured values, need the whole table
/// in memory. Any other result is written row by row while rows are evaluated, so that a large table needs no memory.
/// The file is read twice, once to check it.
Outcome table_command(const Options& options, Library& library, Diagnostics& diagnostics) {
  const std::shared_ptr<const SourceFile> source = read_source(options.table, diagnostics, {}, kMaxTableBytes);
  std::optional<TableRows> table = source == nullptr ? std::nullopt : rows_of(source, diagnostics);
  if (!table) return {};
  RunRequest request = run_request(options, options.arguments);
  if (!options.model.empty()) request.model = options.model;
  if (!options.system.empty()) request.system = options.system;
  std::vector<MeasurementColumn> measured;
  for (const auto& [metric, column] : options.measured) {
    if (const std::optional<MeasurementColumn> one = MeasurementColumn::parse(metric, column, {table->columns, {}}, diagnostics)) measured.push_back(*one);
  }
  if (measured.size() < options.measured.size()) return {};
  const bool for_people = measured.empty() && (options.format == "text" || options.format == "markdown");
  const std::vector<std::string> extra_columns = non_run_columns(measured, options.by);
  std::optional<TableRuns> runs = TableRuns::prepare(std::move(*table), source, request, library, diagnostics, for_people && !options.full, extra_columns);
  if (!runs) return {};
  return measured.empty() && !for_people ? streamed_table(options, *runs, diagnostics) : whole_table(options, *runs, measured, diagnostics);
}

/// Warns of every metric that is shown in percent and is above 100 %.
void warn_of_shares(const Report& report, Diagnostics& diagnostics) {
  constexpr double kMost = 1 + 1e-9;  // Allows for rounding.
  for (const ReportSection& section : report.sections) {
    for (const ReportMetric& metric : section.metrics) {
      if (metric.unit != "ratio" || !metric.value.is_number() || metric.value.scalar.value <= kMost) continue;
      diagnostics.warning({}, fmt::format("`{}` is {:.1f} %, above 100 %. {}", metric.name, metric.value.scalar.value * 100, metric.doc));
    }
  }
}

/// Evaluates the reports of a command for one run. Warns of shares above 100 % and, without `--only`, prints the remarks
/// of the run. Returns an empty outcome, with errors, if an option names no report or a value can't be computed.
Outcome evaluated_report(Run& run, const Command& command, const Options& options, Diagnostics& diagnostics) {
  const Format format = find_format(options.format).value_or(Format::text);
  const std::string name(command.name);
  if (!options.program_point.empty() && !options.over.empty()) diagnostics.error({}, "`--at` and `--over` are two views: ask for one of them");
  if (!is_reported(run, name + "_at_", "--at", options.program_point, diagnostics) || !is_reported(run, name + "_over_", "--over", options.over, diagnostics) ||
      diagnostics.has_errors())
    return {};
  const std::optional<Report> report = build_report(run, reports_of(command, options), diagnostics, is_for_people(format), options.only, options.full);
  if (!report) return {};
  warn_of_shares(*report, diagnostics);
  if (options.only.empty()) {
    for (const Violation& remark : run.remarks(diagnostics)) diagnostics.warning({}, remark.message);
  }
  return report_outcome(*report, options, diagnostics);
}

}  // namespace

/// Runs the commands that print reports of the accounting: `eval`, `params`, `flops`, `memory`, `report`, `comm`.
/// Options that need each other are checked first. `--table` evaluates many runs; otherwise one run is evaluated, and
/// the report of the command's name is printed. The run is kept until the process ends, because destroying a large run
/// takes noticeable time.
Outcome report_command(const Command& command, const Options& options, Library& library, Diagnostics& diagnostics) {
  if (!options.table.empty() && !options.only.empty()) {
    diagnostics.error({}, "`--table` writes a single table: leave out `--only`");
    return {};
  }
  if (options.table.empty() && !(options.measured.empty() && options.by.empty())) {
    diagnostics.error({}, "`--measured` and `--by` need a table: add `--table FILE`");
    return {};
  }
  if (!options.by.empty() && options.measured.empty()) {
    diagnostics.error({}, "`--by` groups errors: add `--measured METRIC=COLUMN`");
    return {};
  }
  if (!options.table.empty()) return table_command(options, library, diagnostics);
  std::unique_ptr<Run> run = Run::prepare(run_request(options, options.arguments), library, diagnostics);
  return run == nullptr ? Outcome{} : evaluated_report(keep_until_exit(std::move(run)), command, options, diagnostics);
}

std::vector<std::string> infeasible_lines(const std::vector<Violation>& violations) {
  std::vector<std::string> lines;
  for (const Violation& violation : violations) {
    const bool is_repeated = violation.reason.empty() || violation.reason == violation.message;
    lines.push_back(is_repeated ? violation.message : violation.reason + ": " + violation.message);
    if (violation.at.known()) lines.back() += "    " + to_string(violation.at);
  }
  return lines;
}

}  // namespace opledger
