// `audit`: checks whether a run agrees with itself and with expected values.
#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "cli/audit_checkpoint.h"
#include "cli/command.h"
#include "play/audit_simulation.h"
#include "questions/audit/idle_rules.h"
#include "report/audit_report.h"
#include "report/writers.h"
#include "schemas/shipped.h"

namespace opledger {
namespace {

/// Inserts the tables of the checkpoint before the table `played`.
void add_checkpoint(CheckpointPart& part, Report& report) {
  const auto position = std::find_if(report.tables.begin(), report.tables.end(), [](const ReportTable& t) { return t.name == "played"; });
  report.tables.insert(position, std::make_move_iterator(part.tables.begin()), std::make_move_iterator(part.tables.end()));
  report.kept.insert(report.kept.end(), part.kept.begin(), part.kept.end());
}

/// Audits a model without an execution; only its checkpoint can be checked.
Outcome checkpoint_alone(const Command& command, const Options& options, Library& library, Diagnostics& diagnostics) {
  if (options.arguments.empty()) diagnostics.error({}, fmt::format("`{} --checkpoint` needs MODEL", command.name));
  if (!options.expect.empty()) diagnostics.error({}, "`--expect` needs a run: give EXECUTION");
  std::optional<CheckpointPart> part = diagnostics.has_errors() ? std::nullopt : checkpoint_part(options, library, diagnostics);
  if (!part) return {};
  Audit audit;
  audit.checks = part->checks;
  Report report = build_report(audit, options.arguments[0]);
  add_checkpoint(*part, report);
  Outcome outcome{write(report, find_format(options.format).value_or(Format::text), options.page), {}};
  outcome.failures = failures(audit);
  return outcome;
}

/// Parses the values of `--expect`: `memory=70GiB+-1%`, `memory < 76 GiB`.
std::vector<Expectation> expectations(const Options& options, Diagnostics& diagnostics) {
  std::vector<Expectation> out;
  for (const std::string& text : options.expect) {
    const std::size_t at = text.find_first_of("<>=");
    const std::size_t position = text.find_first_not_of("<>=", at);
    const std::string metric(trim(text.substr(0, at)));
    const std::string relation = at == std::string::npos || position == std::string::npos ? "" : text.substr(at, position - at);
    if (metric.empty() || !contains(std::vector<std::string>{"=", "<", "<=", ">", ">="}, relation) || trim(text.substr(position)).empty())
      diagnostics.error({}, fmt::format("`--expect`: expected METRIC=VALUE, or a limit such as `memory < 76 GiB`, found `{}`", text));
    else
      out.push_back({metric, std::string(trim(text.substr(position))), relation});
  }
  return out;
}

/// Returns whether a document of the library holds the position. Such a document serves many runs, so a key or rule
/// without effect in one of them is no mistake of the user.
bool is_shipped(const Span& span) {
  const std::string folder = shipped_folder().string();
  return !folder.empty() && origin_of(span).starts_with(folder + "/");
}

/// Returns whether the execution names the rules itself; other rules come from its stack.
bool names_rules(const Run& run, const std::string& rules) {
  const Datum* const named = run.execution_document()->root.find("rules");
  const std::vector<Datum> items = named != nullptr ? named->items() : std::vector<Datum>{};
  return std::any_of(items.begin(), items.end(), [&](const Datum& item) { return item.is_map() ? item.find(rules) != nullptr : item.text() == rules; });
}

}  // namespace

/// Runs `audit`: a checkpoint alone if no execution is given, otherwise a whole run. `remarks` are the messages of
/// reading the checkpoint and of preparing the run, such as warnings of rules; messages of the audit itself come later.
/// `part` holds the checks and tables of `--checkpoint`, which join those of the run. Violated constraints make the
/// outcome infeasible. Failures are failed checks, an audit without any performed check, and with `--strict` also
/// unread keys of the user's documents, rules of the execution without effect, and remarks.
Outcome audit_command(const Command& command, const Options& options, Library& library, Diagnostics& diagnostics) {
  if (!options.checkpoint.empty() && options.arguments.size() < 2) return checkpoint_alone(command, options, library, diagnostics);
  const std::vector<Expectation> expected = expectations(options, diagnostics);
  if (diagnostics.has_errors()) return {};
  std::optional<CheckpointPart> part;
  if (!options.checkpoint.empty() && !(part = checkpoint_part(options, library, diagnostics))) return {};
  const std::unique_ptr<Run> run = Run::prepare(run_request(options, options.arguments), library, diagnostics);
  if (!run) return {};
  const std::vector<Diagnostic> remarks = diagnostics.all();
  std::optional<Audit> result = audit(*run, expected, diagnostics);
  if (!result) return {};
  result->idle = idle_rules(run->request(), library);
  const Format format = find_format(options.format).value_or(Format::text);
  if (part) result->checks.insert(result->checks.end(), part->checks.begin(), part->checks.end());
  Report report = build_audit_report(*result, *run, remarks, is_for_people(format), diagnostics);
  if (part) add_checkpoint(*part, report);
  Outcome outcome{write(report, format, options.page), infeasible_lines(report.violations)};
  outcome.failures = failures(*result);
  const auto was_performed = [](const AuditCheck& check) { return check.state != AuditCheck::State::skipped; };
  if (std::none_of(result->checks.begin(), result->checks.end(), was_performed))
    outcome.failures.push_back("nothing was checked: the accounting `" + run->accounting() + "` has no checks that this run can make");
  if (!options.strict) return outcome;
  for (const AuditKey& key : result->unread) {
    if (is_shipped(key.span)) continue;
    outcome.failures.push_back("no formula reads `" + key.key + "` of the " + key.document + "    " + to_string(key.span));
  }
  for (const AuditKey& key : result->idle) {
    if (!names_rules(*run, key.key)) continue;
    outcome.failures.push_back("the rules `" + key.key + "` change nothing here    " + to_string(key.span));
  }
  for (const Diagnostic& d : remarks) outcome.failures.push_back(d.message + "    " + to_string(d.span));
  return outcome;
}

}  // namespace opledger
