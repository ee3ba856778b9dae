#include "report/timeline_report.h"

#include "report/timeline_names.h"

namespace opledger {
namespace {

Value seconds(double s) { return number_value(real(s), parse_unit("s")->dimension); }
Value number_of(std::size_t n) { return number_value(integer(static_cast<double>(n))); }

ReportSection step_section(const Timeline& t) {
  const auto metric = [](const char* key, const char* unit, const char* doc, Value value) { return ReportMetric{key, key, key, unit, doc, std::move(value)}; };
  return {"Played step",
          {metric("works", "s", "Until the last stage is done.", seconds(t.work_end)),
           metric("step", "s", "With gradients and optimizer behind it, without what ranks wait for the slowest.", seconds(t.end)),
           metric("bubble", "s", "What the busiest stage waits.", seconds(t.work_end - t.busiest())),
           metric("bubble_share", "ratio", "The same as a share of the works.", number_value(real(t.work_end > 0 ? 1 - t.busiest() / t.work_end : 0)))}};
}

ReportTable stage_table(const Timeline& t) {
  ReportTable out{"stages", "Stages", {"stage", "busy", "waits", "first", "last", "batches", "in_flight", "activations"}, {}};
  for (std::size_t k = 0; k < t.stages.size(); ++k) {
    const PlayedStage& p = t.stages[k].played;
    double most = 0;
    for (const TimelineLevel& level : t.stages[k].levels) most = std::max(most, level.activations);
    out.rows.push_back({number_of(k), seconds(p.busy), seconds(t.work_end - p.busy), seconds(p.first), seconds(p.last), number_of(p.batches),
                        number_of(p.in_flight), number_value(real(most), parse_unit("byte")->dimension)});
  }
  out.notes = {
      "`waits` is what a stage does not work until all are done; `in_flight` counts pieces of microbatches, at most at once; `activations` is what it keeps of "
      "them then."};
  return out;
}

ReportTable work_table(const Timeline& t, Kept& kept) {
  ReportTable out{"works", "Works", {"stage", "work", "kind", "piece", "microbatch", "start", "end"}, {}};
  out.detail = true;
  for (std::size_t k = 0; k < t.stages.size(); ++k) {
    for (const TimelineWork& w : t.stages[k].works) {
      const bool named = !w.batch.actions.empty();
      out.rows.push_back({number_of(k), kept_text(name_of(w), kept), kept_text(kind_of(w), kept), named ? number_of(w.batch.actions[0].piece) : Value{},
                          named ? number_of(w.batch.actions[0].microbatch) : Value{}, seconds(w.start), seconds(w.end)});
    }
  }
  return out;
}

ReportTable message_table(const Timeline& t, Kept& kept) {
  ReportTable out{"messages", "Messages between stages", {"from", "to", "of", "leaves", "arrives"}, {}};
  out.detail = true;
  for (const TimelineMessage& m : t.messages)
    out.rows.push_back({number_of(m.from), number_of(m.to), kept_text(written(m.action), kept), seconds(m.leaves), seconds(m.arrives)});
  return out;
}

}  // namespace

Report build_report(const Timeline& timeline, const RunRequest& request, const Run& run) {
  Report report{request.model, run.execution_name(), request.system, run.accounting(), run.stack_name()};
  report.sections = {step_section(timeline)};
  report.tables = {stage_table(timeline), work_table(timeline, report.kept), message_table(timeline, report.kept)};
  return report;
}

}  // namespace opledger
