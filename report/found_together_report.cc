#include "report/found_together_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "formulas/value.h"
#include "report/found_placements_report.h"
#include "report/found_recompute_report.h"
#include "report/found_stages_report.h"

namespace opledger {
namespace {

std::string name_of(FindPart part) { return std::string(kFindParts[static_cast<std::size_t>(part)]); }

ReportTable runs_of(const FoundTogether& found, ValueOwners& kept) {
  ReportTable out{"runs", "Parts found one after the other", {"run", "changes", "step", "gain", "memory", "budget", "reason"}, {}};
  out.prose = {"reason"};
  out.units = {{"gain", "%", 0.01, 1}};
  const bool has_budget = found.budget.is_number() && std::isfinite(found.budget.scalar.value);
  bool has_reason = false;
  const auto add = [&](const std::string& name, const char* changes, const Trial& trial) {
    out.rows.push_back({owned_text(name, kept), owned_text(changes, kept), trial.step, trial.gain_over(found.given), trial.memory,
                        has_budget ? found.budget : Value(), owned_text(trial.reason, kept)});
    has_reason |= !trial.reason.empty();
  };
  add("given", "", found.given);
  for (const FoundTogether::Step& step : found.steps) add(name_of(step.part), step.is_better ? "yes" : "no", step.found);
  if (!has_reason) out.hidden = {"reason"};
  out.notes.push_back(fmt::format("{} runs were evaluated{}. Each answer is the run of the next question.", found.tried,
                                  found.partial ? ", then the search was interrupted" : ""));
  if (std::any_of(found.steps.begin(), found.steps.end(), [](const FoundTogether::Step& step) { return step.is_free && !step.found.fits(); }))
    out.notes.push_back("The first answers may exceed the budget, because recomputation follows.");
  for (const FoundTogether::NamedDocument& document : found.documents) {
    if (!document.replaced.empty())
      out.notes.push_back(fmt::format("The document of {} replaces {} in the list `rules`.", name_of(document.part), join(document.replaced, ", ")));
  }
  return out;
}

/// Names a table after its part, because reports of several parts have several tables of lines.
ReportTable of_part(ReportTable table, FindPart part, const char* title) {
  table.name = name_of(part) + "_" + table.name;
  table.title = title;
  return table;
}

}  // namespace

Report build_report(const FoundTogether& found, const TogetherRequest& request) {
  Report report{request.run.model, found.execution, request.run.system, found.accounting};
  report.tables = {runs_of(found, report.kept)};
  if (found.placements && !found.placements->lines.empty())
    report.tables.push_back(of_part(placement_lines(*found.placements, report.kept), FindPart::placements,
                                    "Placements, and seconds of a step that the next best placement of one node costs"));
  if (found.recompute && !found.recompute->lines.empty())
    report.tables.push_back(of_part(recompute_lines(*found.recompute, report.kept), FindPart::recompute,
                                    "Recomputed nodes, with the seconds of a step that each line costs, and the bytes that it saves"));
  if (found.stages) report.tables.push_back(of_part(stage_settings(*found.stages, report.kept), FindPart::stages, "Layers of stages, as settings"));
  return report;
}

}  // namespace opledger
