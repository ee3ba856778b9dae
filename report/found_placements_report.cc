#include "report/found_placements_report.h"

#include <fmt/core.h>

#include <cmath>

#include "base/text.h"
#include "formulas/value.h"

namespace opledger {
namespace {

/// A writer of the tables.
class PlacementsWriter {
 public:
  PlacementsWriter(const FoundPlacements& found, ValueOwners& kept) : found_(found), kept_(kept) {}

  ReportTable runs() {
    ReportTable out{
        "runs", fmt::format("Placements over {}", join(found_.space.axes, ", ")), {"run", "rules", "step", "gain", "memory", "budget", "reason"}, {}};
    out.prose = {"rules", "reason"};
    out.units = {{"gain", "%", 0.01, 1}};
    add_run("given", found_.given, out);
    if (found_.shipped) add_run("best document", *found_.shipped, out);
    if (!found_.document.empty()) add_run("found", found_.found, out);
    bool has_reason = false;
    for (const std::vector<Value>& row : out.rows) has_reason |= !row.back().text->empty();
    if (!has_reason) out.hidden = {"reason"};
    out.notes.push_back(evidence());
    if (!found_.document.empty()) out.notes.push_back(fmt::format("The found document replaces {} in the list `rules`.", join(found_.replaced, ", ")));
    return out;
  }

  ReportTable lines() {
    ReportTable out{
        "lines", "Lines of the found document, and seconds of a step that the next best placement of one node costs", {"line", "else", "costs"}, {}};
    out.prose = {"line"};
    for (const PlacementLine& line : found_.lines)
      out.rows.push_back({text(line.text), text(line.otherwise), line.has_other ? number_value(real(line.more_seconds), found_.found.step.unit) : Value()});
    return out;
  }

  ReportTable search() {
    ReportTable out{"search", "Search", {"runs_evaluated", "choices", "estimated_step", "partial"}, {}};
    out.detail = true;
    out.rows.push_back(
        {count(found_.tried), count(found_.space.variables.size()), number_value(real(found_.estimate), found_.found.step.unit), truth_value(found_.partial)});
    return out;
  }

 private:
  Value text(std::string value) { return owned_text(std::move(value), kept_); }
  static Value count(std::size_t n) { return number_value(integer(static_cast<double>(n))); }

  void add_run(const char* name, const PlacementsTrial& trial, ReportTable& out) {
    const Value budget = std::isfinite(found_.budget.scalar.value) ? found_.budget : Value();
    out.rows.push_back({text(name), text(trial.rules), trial.step, trial.gain_over(found_.given), trial.memory, budget, text(trial.reason)});
  }

  std::string evidence() const {
    const std::string interrupted = found_.partial ? ", then the search was interrupted" : "";
    if (found_.document.empty()) {
      const std::string best =
          found_.searched.step.is_number() ? human(found_.searched.step) + " and " + human(found_.searched.memory) : found_.searched.reason;
      return fmt::format("No better placements were found: {} runs were evaluated{}. The best document of the search: {}.", found_.tried, interrupted, best);
    }
    return fmt::format("{} runs were evaluated{}: the run itself, documents, the optimum of the sum of tables ({}), and changes of single nodes.", found_.tried,
                       interrupted, human(number_value(real(found_.estimate), found_.found.step.unit)));
  }

  const FoundPlacements& found_;
  ValueOwners& kept_;
};

}  // namespace

Report build_report(const FoundPlacements& found, const PlacementsRequest& request) {
  Report report{request.run.model, found.execution, request.run.system, found.accounting};
  PlacementsWriter writer(found, report.kept);
  report.tables = {writer.runs()};
  if (!found.lines.empty()) report.tables.push_back(writer.lines());
  report.tables.push_back(writer.search());
  return report;
}

}  // namespace opledger
