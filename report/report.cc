#include "report/report.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <utility>

#include "base/text.h"
#include "formulas/link/published.h"
#include "report/table_builder.h"

namespace opledger {
namespace {

// Returns the keys of a JSON report that are not metrics.
const std::set<std::string>& reserved_keys() {
  static const std::set<std::string> kKeys = {"format", "cases",   "model",  "execution", "stack",  "system", "title",    "accounting",
                                              "units",  "metrics", "labels", "tables",    "totals", "notes",  "left_out", "violations"};
  return kKeys;
}

bool is_word(const std::string& key) {
  if (key.empty() || std::isdigit(static_cast<unsigned char>(key[0])) != 0) return false;
  for (const char c : key) {
    if (c != '_' && (static_cast<unsigned char>(c) >= 0x80 || std::isalnum(static_cast<unsigned char>(c)) == 0)) return false;
  }
  return true;
}

/// Sets the identifier of each metric for programs. The label becomes the identifier if it is a plain word, no key of
/// the JSON format, and neither label nor name of another metric. A metric in a section for programs only (`detailed`)
/// keeps its name, because programs look for it by name. Otherwise the identifier is the name, or `metric.NAME` if the
/// name is a key of the format. The cost is quadratic in the number of metrics.
void give_ids(Report& report) {
  std::vector<ReportMetric*> all;
  std::set<std::string> detailed;  // Names of metrics in sections for programs only.
  for (ReportSection& section : report.sections) {
    for (ReportMetric& metric : section.metrics) {
      all.push_back(&metric);
      if (section.detail) detailed.insert(metric.name);
    }
  }
  for (ReportMetric* metric : all) {
    const auto taken = [&](const ReportMetric* other) { return other->name != metric->name && (other->key == metric->key || other->name == metric->key); };
    const bool uses_label =
        detailed.count(metric->name) == 0 && is_word(metric->key) && reserved_keys().count(metric->key) == 0 && std::none_of(all.begin(), all.end(), taken);
    metric->id = uses_label ? metric->key : reserved_keys().count(metric->name) == 0 ? metric->name : "metric." + metric->name;
  }
}

/// Returns a suggestion for a misspelled report, or the list of known reports.
std::string known_names(const std::map<std::string, std::vector<ReportPart>, std::less<>>& reports, const std::string& name) {
  const std::vector<std::string> names = names_of(reports);
  const std::string suggested = suggestion(name, names);
  return !suggested.empty() || names.empty() ? suggested : ": it has " + join(names, ", ");
}

bool no_part(const std::string& name, const std::vector<std::string>& known, Diagnostics& diagnostics) {
  const std::string suggested = suggestion(name, known);
  diagnostics.error({}, fmt::format("the report has no table `{}`{}", name, !suggested.empty() ? suggested : ": it has " + join(known, ", ")));
  return false;
}

/// Keeps the parts with this name. Returns false, with an error, if no part has the name.
bool choose(const std::string& name, std::vector<const ReportPart*>& parts, Diagnostics& diagnostics) {
  std::vector<std::string> known;
  bool metrics = false;
  for (const ReportPart* part : parts) {
    metrics = metrics || !part->metrics.empty() || part->all_metrics;
    if (!part->table.empty() && !contains(known, part->table)) known.push_back(part->table);
  }
  const bool is_table = contains(known, name);
  if (metrics) known.emplace_back(kMetricsPart);
  if (!contains(known, name)) return no_part(name, known, diagnostics);
  std::erase_if(parts, [&](const ReportPart* part) { return is_table ? part->table != name : part->metrics.empty() && !part->all_metrics; });
  return true;
}

/// A builder that evaluates the parts of a report.
class Builder {
 public:
  /// `messages` receives errors of values that cannot be computed; for an infeasible run, the caller ignores them.
  Builder(Run& run, Diagnostics& diagnostics, Diagnostics& messages, bool for_people)
      : run_(run), evaluator_(run.evaluator()), diagnostics_(diagnostics), messages_(messages), for_people_(for_people) {}

  /// Adds a section with the metrics that a report lists by label and name. With `all_metrics`, every metric of the
  /// accounting follows. An unknown metric is an error. A metric without a value is left out; its evaluation error goes
  /// to `messages_`. A section without metrics is not added. For people, metrics that are not on the first screen are
  /// marked unless `full`.
  void add_section(const ReportPart& part, bool full, Report& report) {
    ReportSection section;
    section.title = part.title;
    section.detail = part.detail;
    for (const auto& [key, name] : part.metrics) {
      const Published* published = run_.program().find_published(name);
      if (published == nullptr) {
        diagnostics_.error(part.span, fmt::format("unknown metric `{}`{}", name, suggestion(name, metric_names())));
        continue;
      }
      add_metric(key, *published, section);
      if (for_people_ && !full && !section.metrics.empty() && section.metrics.back().key == key)
        section.metrics.back().later = part.full || contains(part.later, key);
    }
    if (part.all_metrics) {
      for (const Published& published : run_.program().published) add_metric(published.name, published, section);
    }
    if (!section.metrics.empty()) report.sections.push_back(std::move(section));
  }

  void add_table(const ReportPart& part, Report& report) {
    const Table* table = find_table(part.table);
    if (table == nullptr) {
      diagnostics_.error(part.span, fmt::format("unknown table `{}`{}", part.table, suggestion(part.table, table_names())));
      return;
    }
    std::optional<ReportTable> built = build_table(*table, run_, for_people_, report.kept, diagnostics_, messages_);
    if (!built) return;
    built->detail = part.detail;
    report.tables.push_back(std::move(*built));
  }

 private:
  void add_metric(const std::string& key, const Published& published, ReportSection& section) {
    if (std::optional<ReportMetric> metric = build_metric(key, published, evaluator_, messages_)) section.metrics.push_back(std::move(*metric));
  }

  const Table* find_table(const std::string& name) const {
    for (const Table& table : run_.program().tables) {
      if (table.name == name) return &table;
    }
    return nullptr;
  }

  std::vector<std::string> table_names() const { return names_of(run_.program().tables); }

  std::vector<std::string> metric_names() const { return names_of(run_.program().published); }

  Run& run_;
  Evaluator& evaluator_;
  Diagnostics& diagnostics_;
  Diagnostics& messages_;
  bool for_people_;
};

/// Builds a report from its parts and the violated constraints of the run. People get details and parts behind the first
/// screen only on request (`details`, `full`). Returns nothing, with errors, if a value cannot be computed.
std::optional<Report> assemble(Run& run, const std::vector<const ReportPart*>& parts, Diagnostics& diagnostics, bool for_people, bool details, bool full) {
  const std::size_t errors = diagnostics.errors();
  Report report{run.request().model, run.execution_name(), run.request().system, run.accounting(), run.stack_name()};
  report.documents = run.case_documents();
  report.violations = run.violations(diagnostics);
  Diagnostics ignored;  // Values that cannot be computed for an infeasible run are omitted.
  Builder builder(run, diagnostics, report.violations.empty() ? diagnostics : ignored, for_people);
  for (const ReportPart* part : parts) {
    if (!part->metrics.empty() || part->all_metrics) builder.add_section(*part, full, report);
    if (!part->table.empty() && for_people && part->full && !full)
      report.more.push_back(part->table);
    else if (!part->table.empty() && !(for_people && part->detail && !details))
      builder.add_table(*part, report);
  }
  give_ids(report);
  return diagnostics.errors() > errors ? std::nullopt : std::optional(std::move(report));
}

/// Removes every part except the requested one. Returns false, with an error, if nothing of the requested part could be
/// computed.
bool leave_only(const std::string& only, const Run& run, Report& report, Diagnostics& diagnostics) {
  if (!report.tables.empty() || !report.sections.empty()) return keep_only(only, report, diagnostics);
  diagnostics.error({}, fmt::format("`{}` can't be computed{}", only, run.has_system() ? "" : " without a system"));
  return false;
}

}  // namespace

std::optional<ReportMetric> build_metric(const std::string& key, const Published& published, Evaluator& evaluator, Diagnostics& messages) {
  const Name& name = *published.metric;
  const Answer answer = evaluator.ask(published);
  if (!answer.report_unless_absent(messages)) return std::nullopt;
  const Def* def = name.described();
  return ReportMetric{key, "", published.name, base_unit(answer.value, declared_unit(name)), def != nullptr ? def->doc : "", answer.value};
}

Value text_value(const std::string& text) {
  Value value;
  value.kind = Value::Kind::text;
  value.text = &text;
  return value;
}

Value owned_text(std::string text, ValueOwners& kept) {
  auto own = std::make_shared<const std::string>(std::move(text));
  const Value out = text_value(*own);
  kept.push_back(std::move(own));
  return out;
}

/// Takes the unit from the first value that knows its unit.
std::string column_unit(const ReportTable& table, std::size_t column) {
  if (table.has_mixed_units) return {};
  for (const std::vector<Value>& row : table.rows) {
    const std::string unit = base_unit(row[column]);
    if (!unit.empty() && (!row[column].any_unit || unit != "1")) return unit;  // Zero literals have no unit.
  }
  return {};
}

std::string base_unit(const Value& value, const std::string& declared) {
  if (!value.is_number()) return {};
  if (!value.unit.plain()) return to_string(value.unit);
  return declared == "count" || declared == "ratio" ? declared : "1";
}

bool keep_only(const std::string& name, Report& report, Diagnostics& diagnostics) {
  std::vector<std::string> known = names_of(report.tables);
  const bool is_table = contains(known, name);
  if (!report.sections.empty()) known.emplace_back(kMetricsPart);
  report.bare = contains(known, name);
  if (!report.bare) return no_part(name, known, diagnostics);
  if (is_table) report.sections.clear();
  std::erase_if(report.tables, [&](const ReportTable& table) { return !is_table || table.name != name; });
  report.tables.resize(std::min<std::size_t>(report.tables.size(), 1));
  for (ReportTable& table : report.tables) table.detail = false;
  return true;
}

std::optional<Report> build_report(Run& run, const std::vector<std::string>& names, Diagnostics& diagnostics, bool for_people, const std::string& only,
                                   bool full) {
  const auto& reports = run.program().reports;
  std::vector<const ReportPart*> parts;
  for (const std::string& name : names) {
    const auto found = reports.find(name);
    if (found == reports.end()) {
      diagnostics.error({}, fmt::format("accounting `{}` has no report named `{}`{}", run.accounting(), name, known_names(reports, name)));
      return std::nullopt;
    }
    for (const ReportPart& part : found->second) parts.push_back(&part);
  }
  if (!only.empty() && !choose(only, parts, diagnostics)) return std::nullopt;
  std::optional<Report> report = assemble(run, parts, diagnostics, for_people, !only.empty(), full || !only.empty());
  return !report || only.empty() || leave_only(only, run, *report, diagnostics) ? std::move(report) : std::nullopt;
}

std::optional<Report> build_table_report(Run& run, const std::string& name, Diagnostics& diagnostics) {
  const std::vector<std::string> known = names_of(run.program().tables);
  if (!contains(known, name)) {
    diagnostics.error({}, fmt::format("accounting `{}` has no table `{}`{}", run.accounting(), name, suggestion(name, known)));
    return std::nullopt;
  }
  ReportPart part;
  part.table = name;
  std::optional<Report> report = assemble(run, {&part}, diagnostics, false, true, true);
  return report && leave_only(name, run, *report, diagnostics) ? std::move(report) : std::nullopt;
}

}  // namespace opledger
