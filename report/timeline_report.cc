#include "report/timeline_report.h"

#include <fmt/core.h>

#include "base/lists.h"
#include "base/text.h"
#include "play/step_simulation.h"
#include "report/timeline_names.h"

namespace opledger {
namespace {

Value seconds(double s) { return number_value(real(s), parse_unit("s")->dimension); }
Value bytes(double b) { return number_value(real(b), parse_unit("byte")->dimension); }
Value number_of(std::size_t n) { return number_value(integer(static_cast<double>(n))); }

/// Returns the metrics of a step by formulas, for comparison with its simulation. The accounting lists labels and
/// metrics under `counted` in its section `play`; without this list the section is empty. The label becomes the
/// identifier. Returns nothing, with errors, if a metric is unknown or has no value.
std::optional<ReportSection> counted_section(Run& run, Diagnostics& diagnostics) {
  ReportSection out{"Step", {}};
  const Datum* play = play_section(run);
  const Datum* counted = play != nullptr ? play->find("counted") : nullptr;
  for (const auto& [key, metric] : counted != nullptr ? counted->entries() : std::vector<Datum::Entry>{}) {
    const Published* published = run.program().find_published(metric.text());
    if (published == nullptr) {
      diagnostics.error(metric.span(), fmt::format("unknown metric `{}`{}", metric.text(), suggestion(metric.text(), names_of(run.program().published))));
      return std::nullopt;
    }
    std::optional<ReportMetric> found = build_metric(key.text(), *published, run.evaluator(), diagnostics);
    if (!found) return std::nullopt;
    found->id = key.text();
    out.metrics.push_back(std::move(*found));
  }
  return out;
}

/// Returns the figures of the simulated step: duration, bubble, and the bubble's share of the time.
ReportSection simulated_section(const Timeline& t) {
  const auto metric = [](const char* key, const char* unit, const char* doc, Value value) { return ReportMetric{key, key, key, unit, doc, std::move(value)}; };
  return {"Simulated step",
          {metric("works", "s", "Time until the last stage is done.", seconds(t.work_end)),
           metric("step_as_played", "s", "Time with gradients, optimizer and waiting at the end.", seconds(t.end)),
           metric("bubble_as_played", "s", "Time without a task on the busiest stage.", seconds(t.work_end - t.busiest())),
           metric("bubble_share", "ratio", "The bubble as a share of `works`.", number_value(real(t.work_end > 0 ? 1 - t.busiest() / t.work_end : 0)))}};
}

/// Returns one row for each stage with figures of its simulation. The columns are time of tasks, waiting time until the
/// last stage is done, begin and end, and number of tasks. The last two are the largest numbers of chunks in flight and
/// of bytes saved for them. The notes explain columns with short names.
ReportTable stage_table(const Timeline& t) {
  ReportTable out{"stages", "Stages", {"stage", "busy", "waits", "first", "last", "batches", "in_flight", "activations"}, {}};
  for (std::size_t k = 0; k < t.stages.size(); ++k) {
    const SimulatedStage& p = t.stages[k].simulated;
    double most = 0;
    for (const TimelineLevel& level : t.stages[k].levels) most = std::max(most, level.activations);
    out.rows.push_back({number_of(k), seconds(p.busy), seconds(t.work_end - p.busy), seconds(p.first), seconds(p.last), number_of(p.batches),
                        number_of(p.in_flight), bytes(most)});
  }
  out.notes = {
      "`waits`: time of a stage without a task until the last stage is done; `in_flight`: the most chunks of microbatches with stored activations; "
      "`activations`: the most bytes of these activations."};
  if (t.operators)
    out.notes.emplace_back("Kernels and messages are in traces, pictures and tables for programs: `-o step.json.gz`, `-o step.svg`, `--format csv`.");
  return out;
}

double total_of(const StepSimulation::LabeledBytes& list) {
  double sum = 0;
  for (const auto& [kind, of] : list) sum += of;
  return sum;
}

/// Returns the memory curve of each stage: a row for each time at which its stored activations change. `resident` is the
/// same in all rows of a stage, and `memory` is the sum of `activations` and `resident`.
ReportTable memory_table(const Timeline& t) {
  ReportTable out{"memory", "Memory over the step", {"stage", "at", "in_flight", "activations", "resident", "memory"}, {}};
  out.detail = true;
  for (std::size_t k = 0; k < t.stages.size(); ++k) {
    const double resident = total_of(t.stages[k].resident);
    for (const TimelineLevel& level : t.stages[k].levels)
      out.rows.push_back(
          {number_of(k), seconds(level.at), number_of(level.in_flight), bytes(level.activations), bytes(resident), bytes(level.activations + resident)});
  }
  return out;
}

/// Returns the kinds of memory that are resident during the whole step, by stage.
ReportTable resident_table(const Timeline& t, ValueOwners& kept) {
  ReportTable out{"resident", "Resident memory", {"stage", "kind", "bytes"}, {}};
  out.detail = true;
  for (std::size_t k = 0; k < t.stages.size(); ++k) {
    for (const auto& [kind, of] : t.stages[k].resident) out.rows.push_back({number_of(k), owned_text(kind, kept), bytes(of)});
  }
  return out;
}

/// Returns true if rows must name their process, because processes are not simply the stages in order.
bool names_processes(const Timeline& t) {
  for (std::size_t p = 0; p < t.processes.size(); ++p) {
    if (t.processes[p].stage != p || t.processes[p].place != 0) return true;
  }
  return t.processes.size() != t.stages.size();
}

/// Returns `table`, without its first column if processes are the stages.
ReportTable with_processes(ReportTable table, const Timeline& t) {
  if (names_processes(t)) return table;
  table.columns.erase(table.columns.begin());
  for (std::vector<Value>& row : table.rows) row.erase(row.begin());
  return table;
}

ReportTable task_table(const Timeline& t, ValueOwners& kept) {
  ReportTable out{"works", "Tasks", {"process", "stage", "work", "kind", "piece", "microbatch", "start", "end"}, {}};
  out.detail = true;
  for (const TimelineProcess& p : t.processes) {
    for (const TimelineTask& w : t.stages[p.stage].tasks) {
      const bool named = !w.batch.actions.empty();
      out.rows.push_back({owned_text(p.name, kept), number_of(p.stage), owned_text(name_of(w), kept), owned_text(kind_of(w), kept),
                          named ? number_of(w.batch.actions[0].stage_chunk) : Value{}, named ? number_of(w.batch.actions[0].microbatch) : Value{},
                          seconds(w.start), seconds(w.end)});
    }
  }
  return with_processes(std::move(out), t);
}

/// Returns the kernels and messages inside tasks, in order of tasks.
ReportTable operator_table(const Timeline& t, ValueOwners& kept) {
  ReportTable out{
      "operators", "Kernels and messages inside tasks", {"process", "stage", "work", "track", "operator", "phase", "segment", "layer", "start", "end"}, {}};
  out.detail = true;
  for (const TimelineProcess& p : t.processes) {
    for (const TimelineTask& w : t.stages[p.stage].tasks) {
      if (w.inside == nullptr) continue;
      for (const PassPicture::Span& s : w.inside->spans)
        out.rows.push_back({owned_text(p.name, kept), number_of(p.stage), owned_text(name_of(w), kept), owned_text(t.tracks[s.track], kept),
                            owned_text(s.name, kept), owned_text(s.phase, kept), owned_text(s.segment, kept), number_of(s.layer),
                            seconds(w.start + s.start * w.scale()), seconds(w.start + s.end * w.scale())});
    }
  }
  return with_processes(std::move(out), t);
}

ReportTable message_table(const Timeline& t, ValueOwners& kept) {
  ReportTable out{"messages", "Messages between stages", {"from", "to", "of", "leaves", "arrives"}, {}};
  out.detail = true;
  for (const TimelineMessage& m : t.messages)
    out.rows.push_back({number_of(m.from), number_of(m.to), owned_text(written(m.action), kept), seconds(m.leaves), seconds(m.arrives)});
  return out;
}

}  // namespace

std::optional<Report> build_report(const Timeline& timeline, const RunRequest& request, Run& run, Diagnostics& diagnostics) {
  std::optional<ReportSection> counted = counted_section(run, diagnostics);
  if (!counted) return std::nullopt;
  Report report{request.model, run.execution_name(), request.system, run.accounting(), run.stack_name()};
  if (!counted->metrics.empty()) report.sections.push_back(std::move(*counted));
  report.sections.push_back(simulated_section(timeline));
  report.tables = {stage_table(timeline), task_table(timeline, report.kept), message_table(timeline, report.kept), memory_table(timeline),
                   resident_table(timeline, report.kept)};
  if (timeline.operators) report.tables.push_back(operator_table(timeline, report.kept));
  return report;
}

}  // namespace opledger
