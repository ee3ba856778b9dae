#include "report/audit_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "base/text.h"

namespace opledger {
namespace {

using State = AuditCheck::State;

const std::string& word_of(State state) {
  static const std::string kWords[] = {"passed", "failed", "skipped"};
  return kWords[static_cast<std::size_t>(state)];
}

/// Returns every field of every check, for programs.
ReportTable everything(const Audit& audit) {
  ReportTable out{"checks", "Checks", {"check", "result", "left", "right", "difference", "element", "made", "failed", "why", "doc", "written"}, {}};
  for (const AuditCheck& c : audit.checks) {
    const bool skipped = c.state == State::skipped;
    out.rows.push_back({text_value(c.name), text_value(word_of(c.state)), c.left, c.right, skipped ? Value{} : number_value(real(c.difference)),
                        text_value(c.element), number_value(integer(static_cast<double>(skipped ? 0 : c.elements))),
                        number_value(integer(static_cast<double>(c.failures))), text_value(c.why), text_value(c.doc), text_value(c.written)});
  }
  out.detail = true;
  return out;
}

/// Returns the checks that ran, both sides compared, for people.
ReportTable compared(const Audit& audit) {
  ReportTable out{"compared", "Checks", {"check", "is", "should_be", "difference", "made", "result"}, {}};
  out.units.push_back({"difference", "%", 0.01, 2});
  for (const AuditCheck& c : audit.checks) {
    if (c.state == State::skipped) continue;
    out.rows.push_back({text_value(c.name), c.left, c.right, number_value(real(c.difference)), number_value(integer(static_cast<double>(c.elements))),
                        text_value(word_of(c.state))});
  }
  return out;
}

ReportTable skipped(const Audit& audit) {
  ReportTable out{"skipped", "Skipped", {"check", "why"}, {}};
  out.prose = {"why"};
  for (const AuditCheck& c : audit.checks) {
    if (c.state == State::skipped) out.rows.push_back({text_value(c.name), text_value(c.why)});
  }
  return out;
}

ReportTable keys(const char* name, const char* title, const std::vector<AuditKey>& all) {
  ReportTable out{name, title, {"document", "key", "value", "doc"}, {}};
  out.prose = {"value", "doc"};
  for (const AuditKey& key : all) out.rows.push_back({text_value(key.document), text_value(key.key), text_value(key.value), text_value(key.doc)});
  return out;
}

/// Returns rule documents that have no effect, because the mesh lacks their axes.
ReportTable idle(const Audit& audit) {
  ReportTable out{"idle", "Rules that change nothing here", {"rules", "axes that the mesh lacks"}, {}};
  for (const AuditKey& key : audit.idle) out.rows.push_back({text_value(key.key), text_value(key.value)});
  return out;
}

/// Returns each quantity by the schedule's formulas and by simulation, with the relative difference.
ReportTable simulated(const Audit& audit) {
  ReportTable out{"played", "By the schedule's formulas, and played", {"what", "by_formula", "played", "difference"}, {}};
  out.units.push_back({"difference", "%", 0.01, 2});
  for (const AuditPlayed& p : audit.played) {
    const double formula = p.by_formula.scalar.value, played = p.played.scalar.value;
    out.rows.push_back({text_value(p.name), p.by_formula, p.played, formula == 0 ? Value{} : number_value(real(played / formula - 1))});
  }
  if (!audit.unplayed.empty()) out.notes = {"Not played: " + audit.unplayed};
  return out;
}

ReportTable remarks_of(const std::vector<Diagnostic>& remarks) {
  ReportTable out{"remarks", "Remarks of the rules", {"remark"}, {}};
  out.prose = {"remark"};
  for (const Diagnostic& d : remarks) out.rows.push_back({text_value(d.message)});
  return out;
}

/// Inserts the tables of the accounting's report `audit` before the table `stated`. Empty tables are dropped, because
/// an audit reports findings.
void add_own(Run& run, bool for_people, Report& report, Diagnostics& diagnostics) {
  // Accountings without this report have no additional checks.
  if (run.program().reports.count("audit") == 0) return;
  std::optional<Report> own = build_report(run, {"audit"}, diagnostics, for_people);
  if (!own) return;
  const auto stated = std::find_if(report.tables.begin(), report.tables.end(), [](const ReportTable& t) { return t.name == "stated"; });
  own->tables.erase(std::remove_if(own->tables.begin(), own->tables.end(), [](const ReportTable& t) { return t.rows.empty(); }), own->tables.end());
  report.tables.insert(stated, std::make_move_iterator(own->tables.begin()), std::make_move_iterator(own->tables.end()));
  report.kept.insert(report.kept.end(), own->kept.begin(), own->kept.end());
}

}  // namespace

Report build_report(const Audit& audit, const Run& run, const std::vector<Diagnostic>& remarks) {
  Report report{run.request().model, run.execution_name(), run.request().system, run.accounting(), run.stack_name()};
  report.tables = {compared(audit),
                   skipped(audit),
                   everything(audit),
                   simulated(audit),
                   keys("unread", "Keys that no formula reads", audit.unread),
                   idle(audit),
                   remarks_of(remarks),
                   keys("stated", "Assumptions in force: given, derived from nothing", audit.stated),
                   keys("assumed", "Assumed: nobody gave these values", audit.assumed)};
  return report;
}

Report build_report(const Audit& audit, const std::string& model) {
  Report report{model, {}, {}, {}};
  report.tables = {compared(audit), skipped(audit), everything(audit), simulated(audit)};
  return report;
}

Report build_audit_report(const Audit& audit, Run& run, const std::vector<Diagnostic>& remarks, bool for_people, Diagnostics& diagnostics) {
  Report report = build_report(audit, run, remarks);
  report.violations = run.violations(diagnostics);
  add_own(run, for_people, report, diagnostics);
  return report;
}

std::vector<std::string> failures(const Audit& audit) {
  std::vector<std::string> out;
  for (const AuditCheck& c : audit.checks) {
    if (c.state != State::failed) continue;
    const auto written = [](const Value& v) { return v.is_number() || (v.kind == Value::Kind::truth) ? exact(v.scalar.value) : visible(human(v)); };
    const bool numbers = c.right.is_number();
    std::string line = fmt::format("{}: {} is not {}{}", c.name, numbers ? written(c.left) : visible(human(c.left)), c.relation.empty() ? "" : c.relation + " ",
                                   written(c.right));
    if (!c.left.unit.plain()) line += " " + to_string(c.left.unit);
    if (c.elements > 1) line += fmt::format(" ({}, the worst of {})", c.element, c.failures);
    if (!c.written.empty()) line += "    " + c.written;
    out.push_back(std::move(line));
  }
  return out;
}

}  // namespace opledger
