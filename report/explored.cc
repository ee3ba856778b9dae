#include "report/explored.h"

#include <algorithm>
#include <set>

#include "accounting/graph_engine.h"
#include "base/lists.h"
#include "base/text.h"
#include "report/table_builder.h"

namespace opledger {
namespace {

constexpr std::size_t kMaxHints = 5;
constexpr std::size_t kMaxTasks = 8'000;  // Approximate limit of tasks in a page's timeline.

/// Returns the views of the accounting; by default, a view of the report `eval`.
std::vector<View> views_of(const Program& program) {
  if (!program.views.empty() || program.reports.count("eval") == 0) return program.views;
  Drawing all;
  all.draw = "numbers";
  all.report = "eval";
  return {{"numbers", {all}}};
}

/// A collector of the data of a run.
/// Reports, tables and metrics named by the views are evaluated first, each once. Views are then reduced to drawings
/// whose data exists, because a run without a system or with a violated constraint lacks some values.
class Explorer {
 public:
  Explorer(Run& run, Diagnostics& diagnostics) : run_(run), diagnostics_(diagnostics), views_(views_of(run.program())) {}

  /// Fills `out.report` with everything that the accounting's views draw: first whole reports, then single tables, then
  /// the metrics drawn as limits, each once. The order matters: a report may already contain the table or metric.
  /// Documentation of tables follows. Returns false, with errors, if a report or table cannot be evaluated; values
  /// missing in an infeasible run are no errors.
  bool add_reports(ExploredRun& out) {
    out.report = {run_.request().model, run_.execution_name(), run_.request().system, run_.accounting(), run_.stack_name()};
    out.report.documents = run_.case_documents();
    out.report.violations = run_.violations(diagnostics_);
    for (const View& view : views_) {
      for (const Drawing& drawing : view.drawings) {
        if (!drawing.report.empty() && !add_report(drawing.report, out)) return false;
      }
    }
    for (const std::string& table : drawn_tables()) add_table(table, out);
    for (const View& view : views_) {
      for (const Drawing& drawing : view.drawings) add_metrics(drawing, out);
    }
    for (const ReportTable& table : out.report.tables) {
      const Table& stated = table_named(table.name);
      if (!stated.doc.empty()) out.docs[table.name] = stated.doc;
    }
    return !diagnostics_.has_errors();
  }

  /// Adds the metrics that the accounting declares as the page's main figures.
  void add_headline(ExploredRun& out) {
    const auto roles = run_.program().commands.find("explore");
    if (roles == run_.program().commands.end()) return;
    for (const Role& role : roles->second) {
      add_metric(role.name, out);
      if (has_metric(role.name, out)) out.headline.emplace_back(role.word, role.name);
    }
  }

  /// Adds the views, reduced to drawings with data.
  void add_views(ExploredRun& out) {
    const std::vector<std::string> drawn = drawn_tables();
    std::set<std::string> shown(drawn.begin(), drawn.end());
    for (const View& view : views_) {
      View own{view.name, {}};
      for (const Drawing& drawing : view.drawings) {
        if (std::optional<Drawing> reduced = reduced_drawing(drawing, out)) own.drawings.push_back(std::move(*reduced));
        add_other_tables(drawing, out, shown, own);
      }
      if (!own.drawings.empty()) out.views.push_back(std::move(own));
    }
  }

 private:
  const Table& table_named(const std::string& name) const {
    const auto& all = run_.program().tables;
    return *std::find_if(all.begin(), all.end(), [&](const Table& t) { return t.name == name; });
  }

  static const ReportTable* find(const std::string& table, const ExploredRun& out) {
    const auto& all = out.report.tables;
    const auto found = std::find_if(all.begin(), all.end(), [&](const ReportTable& t) { return t.name == table; });
    return found == all.end() ? nullptr : &*found;
  }

  static const std::vector<ReportSection>* sections_of(const std::string& report, const ExploredRun& out) {
    for (const auto& [name, sections] : out.sections) {
      if (name == report) return &sections;
    }
    return nullptr;
  }

  /// Returns the tables that views draw, without duplicates.
  std::vector<std::string> drawn_tables() const {
    std::vector<std::string> out;
    const auto add = [&](const std::string& table) {
      if (!table.empty() && !contains(out, table)) out.push_back(table);
    };
    for (const View& view : views_) {
      for (const Drawing& d : view.drawings) {
        add(d.cells.table);
        if (d.ceilings) add(d.ceilings->table);
        if (d.slopes) add(d.slopes->table);
      }
    }
    return out;
  }

  /// Adds a report of the accounting, unless it is present. Its sections are stored twice: in `out.sections` complete,
  /// by report, and in `out.report` without the metrics that an earlier report contains, so each metric has one value.
  /// Identifiers become the names of metrics. A table that several reports contain is taken from the first. `reported_`
  /// remembers the tables of each report. Returns false, with errors, if the report cannot be built.
  bool add_report(const std::string& name, ExploredRun& out) {
    if (sections_of(name, out) != nullptr) return true;
    std::optional<Report> report = build_report(run_, {name}, diagnostics_);
    if (!report) return false;
    for (ReportSection& section : report->sections) {
      ReportSection first = section;  // The section without metrics that an earlier report contains.
      std::erase_if(first.metrics, [&](const ReportMetric& metric) { return has_metric(metric.name, out); });
      for (std::vector<ReportMetric>* metrics : {&section.metrics, &first.metrics}) {
        for (ReportMetric& metric : *metrics) metric.id = metric.name;
      }
      out.report.sections.push_back(std::move(first));
    }
    out.sections.emplace_back(name, std::move(report->sections));
    for (ReportTable& table : report->tables) {
      reported_[name].push_back(table.name);
      if (find(table.name, out) == nullptr) out.report.tables.push_back(std::move(table));
    }
    out.report.kept.insert(out.report.kept.end(), report->kept.begin(), report->kept.end());
    return true;
  }

  void add_table(const std::string& name, ExploredRun& out) {
    if (find(name, out) != nullptr) return;
    Diagnostics ignored;  // Values that cannot be computed for an infeasible run are omitted.
    std::optional<ReportTable> table =
        build_table(table_named(name), run_, false, out.report.kept, diagnostics_, out.report.violations.empty() ? diagnostics_ : ignored);
    if (table) out.report.tables.push_back(std::move(*table));
  }

  /// Adds a metric that no report contains.
  void add_metric(const std::string& name, ExploredRun& out) {
    const Published* published = name.empty() ? nullptr : run_.program().find_published(name);
    if (published == nullptr || has_metric(name, out)) return;
    Diagnostics ignored;
    std::optional<ReportMetric> metric = build_metric(name, *published, run_.evaluator(), ignored);
    if (!metric) return;
    metric->id = name;
    out.report.sections.push_back({"", {std::move(*metric)}, true});
  }

  /// Adds the metrics that a drawing names.
  void add_metrics(const Drawing& drawing, ExploredRun& out) {
    add_metric(drawing.limit, out);
    add_metric(drawing.total, out);
    for (const Drawing::Parts& parts : drawing.parts) {
      for (const std::string& metric : parts.metrics) add_metric(metric, out);
    }
  }

  static bool has_metric(const std::string& name, const ExploredRun& out) {
    for (const ReportSection& section : out.report.sections) {
      for (const ReportMetric& metric : section.metrics) {
        if (metric.id == name) return true;
      }
    }
    return false;
  }

  /// Returns the unit of a column of numbers; null for other columns and missing ones.
  static const Dimension* unit_of(const ReportTable& table, const std::string& column) {
    const auto at = std::find(table.columns.begin(), table.columns.end(), column);
    if (at == table.columns.end()) return nullptr;
    const auto i = static_cast<std::size_t>(at - table.columns.begin());
    const bool numbers = std::all_of(table.rows.begin(), table.rows.end(), [i](const std::vector<Value>& row) { return row[i].is_number(); });
    return numbers ? &table.rows[0][i].unit : nullptr;
  }

  /// Returns true if the limit is a computed metric with the unit of the drawn columns.
  static bool is_limit(const Drawing& drawing, const ExploredRun& out) {
    for (const ReportSection& section : out.report.sections) {
      for (const ReportMetric& metric : section.metrics) {
        if (metric.id != drawing.limit || !metric.value.is_number()) continue;
        const Dimension* unit = drawing.cells.columns.empty() ? nullptr : unit_of(*find(drawing.cells.table, out), drawing.cells.columns[0]);
        return unit != nullptr && *unit == metric.value.unit;
      }
    }
    return false;
  }

  /// Removes columns that the table lacks. Returns false if nothing remains to draw.
  static bool reduce(Drawing::Cells& cells, const ExploredRun& out) {
    const ReportTable* table = find(cells.table, out);
    if (table == nullptr || table->rows.empty()) return false;
    const bool some = !cells.columns.empty();
    std::erase_if(cells.columns, [&](const std::string& column) { return unit_of(*table, column) == nullptr; });
    return (cells.by.empty() || contains(table->columns, cells.by)) && (!some || !cells.columns.empty());
  }

  /// Returns a copy of a drawing without the columns, series and limit that the run lacks. A run without a system, or
  /// with a violated constraint, has no values for some. `out` holds the computed reports and tables. Nothing is
  /// returned if the main data is missing: the report, the table, all its columns, all series, or the ceilings or
  /// slopes that the drawing declares. A drawing of a report has none of the other parts.
  static std::optional<Drawing> reduced_drawing(Drawing drawing, const ExploredRun& out) {
    if (!drawing.report.empty()) {
      const std::vector<ReportSection>* sections = sections_of(drawing.report, out);
      return sections != nullptr && !sections->empty() ? std::optional(drawing) : std::nullopt;
    }
    if (drawing.draw == "hints") return out.hints.empty() ? std::nullopt : std::optional(drawing);
    if (!drawing.total.empty()) return reduced_sum(std::move(drawing), out);
    if (!reduce(drawing.cells, out)) return std::nullopt;
    if (!is_limit(drawing, out)) drawing.limit.clear();
    const ReportTable& table = *find(drawing.cells.table, out);
    const bool has_series = !drawing.series.empty();
    std::erase_if(drawing.series, [&](const Drawing::Series& s) {
      return !contains(table.columns, s.intensity) || !contains(table.columns, s.rate) || !contains(table.columns, s.size);
    });
    if (has_series && drawing.series.empty()) return std::nullopt;
    const bool has_roofs = (!drawing.ceilings || reduce(*drawing.ceilings, out)) && (!drawing.slopes || reduce(*drawing.slopes, out));
    return has_roofs ? std::optional(drawing) : std::nullopt;
  }

  /// Returns a drawing of a total without the metrics that the run lacks; nothing if the total is missing.
  static std::optional<Drawing> reduced_sum(Drawing drawing, const ExploredRun& out) {
    if (!has_metric(drawing.total, out)) return std::nullopt;
    if (!has_metric(drawing.limit, out)) drawing.limit.clear();
    for (Drawing::Parts& parts : drawing.parts) std::erase_if(parts.metrics, [&](const std::string& metric) { return !has_metric(metric, out); });
    std::erase_if(drawing.parts, [](const Drawing::Parts& parts) { return parts.metrics.empty(); });
    return drawing.parts.empty() ? std::nullopt : std::optional(std::move(drawing));
  }

  /// Adds tables of the drawing's report that no view draws, below its numbers.
  void add_other_tables(const Drawing& drawing, const ExploredRun& out, std::set<std::string>& shown, View& view) const {
    const auto tables = reported_.find(drawing.report);
    if (tables == reported_.end()) return;
    for (const std::string& name : tables->second) {
      const ReportTable* table = find(name, out);
      if (table == nullptr || table->rows.empty() || !shown.insert(name).second) continue;
      Drawing own;
      own.draw = "table";
      own.cells.table = name;
      view.drawings.push_back(std::move(own));
    }
  }

  Run& run_;
  Diagnostics& diagnostics_;
  std::vector<View> views_;
  std::map<std::string, std::vector<std::string>> reported_;  ///< Names of each report's tables.
};

/// Adds the simulated step; a step of more than kMaxTasks tasks is cut to its first microbatches. An infeasible run has
/// no timeline.
void add_timeline(Run& run, ExploredRun& out) {
  if (!run.has_graph() || !out.report.violations.empty()) return;
  Diagnostics ignored;  // Accountings without a schedule have no timeline.
  TimelineOptions options;
  options.tasks = kMaxTasks;
  out.timeline = timeline(run, options, ignored);
}

/// Adds the operator graph and the number of layers of each segment.
void add_graph(Run& run, ExploredRun& out) {
  if (!run.has_graph()) return;
  out.graph = &run.graph();
  out.annotations = &run.annotations();
  const Elements& segments = run.evaluator().elements(kSegmentSet);
  for (std::size_t i = 0; i < segments.names.size(); ++i) out.layers[segments.names[i]] = segments.fields.at("layers")[i].scalar.value;
}

}  // namespace

std::string eval_words(const RunRequest& request, const std::vector<std::string>& path) {
  std::vector<std::string> words = {"eval"};
  for (const std::string* document : {&request.model, &request.execution, &request.system}) {
    if (!document->empty()) words.push_back(shell_word(*document));
  }
  if (!request.accounting.empty()) words.push_back("--accounting " + shell_word(request.accounting));
  for (const auto& [key, value] : request.overrides) words.push_back("--set " + shell_word(key + "=" + value));
  for (const std::string& folder : path) words.push_back("--path " + shell_word(folder));
  return join(words, " ");
}

std::string title_of(const ExploredRun& run) {
  std::vector<std::string> parts = {run.report.model, run.report.execution, run.report.system};
  std::erase(parts, "");
  return join(parts, " \u00b7 ");
}

/// Computes the data of a page about a run in steps that build on each other: reports and tables drawn by views, main
/// figures, views reduced to existing data, and the graph. All metrics and tables found so far are then explained, and
/// the step is simulated last. Only a failing report or table ends the computation; the run keeps ownership of texts.
std::optional<ExploredRun> explore(Run& run, const std::string& command, Diagnostics& diagnostics) {
  ExploredRun out;
  out.command = command;
  Explorer explorer(run, diagnostics);
  if (!explorer.add_reports(out)) return std::nullopt;
  explorer.add_headline(out);
  out.hints = hints(run);
  if (out.hints.size() > kMaxHints) out.hints.resize(kMaxHints);
  explorer.add_views(out);
  add_graph(run, out);
  std::vector<std::string> metrics;
  for (const ReportSection& section : out.report.sections) {
    for (const ReportMetric& metric : section.metrics) metrics.push_back(metric.name);
  }
  std::vector<ExplainedTable> tables;
  for (const ReportTable& table : out.report.tables) tables.push_back({table.name, table.points});
  out.opened = explain_run(run, metrics, tables);
  add_timeline(run, out);
  return out;
}

}  // namespace opledger
