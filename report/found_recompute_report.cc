#include "report/found_recompute_report.h"

#include <fmt/core.h>

#include <cmath>

#include "base/text.h"
#include "find/recompute_rules.h"
#include "formulas/value.h"

namespace opledger {
namespace {

/// A writer of the tables.
class RecomputeWriter {
 public:
  RecomputeWriter(const FoundRecompute& found, ValueOwners& kept) : found_(found), kept_(kept) {}

  ReportTable runs() {
    ReportTable out{"runs", "Recomputation in backward", {"run", "rules", "step", "gain", "memory", "budget", "reason"}, {}};
    out.prose = {"rules", "reason"};
    out.units = {{"gain", "%", 0.01, 1}};
    add_run("given", found_.given, out);
    if (found_.shipped) add_run("best document", *found_.shipped, out);
    if (!found_.document.empty()) add_run("found", found_.found, out);
    bool has_reason = false;
    for (const std::vector<Value>& row : out.rows) has_reason |= !row.back().text->empty();
    if (!has_reason) out.hidden = {"reason"};
    out.notes.push_back(evidence());
    if (!found_.document.empty() && !found_.replaced.empty())
      out.notes.push_back(fmt::format("The found document replaces {} in the list `rules`.", join(found_.replaced, ", ")));
    return out;
  }

  ReportTable lines() {
    ReportTable out{
        "lines", "Lines of the found document: seconds of a step that each costs, and bytes that it saves", {"recomputed", "layers", "costs", "saves"}, {}};
    out.prose = {"recomputed"};
    for (const FoundLine& line : found_.lines) out.rows.push_back({text(line.names), text(layers_of(line)), line.costs, line.saves});
    return out;
  }

  ReportTable search() {
    ReportTable out{"search", "Search", {"runs_evaluated", "points_of_front", "partial"}, {}};
    out.detail = true;
    out.rows.push_back({count(found_.tried), count(found_.points), truth_value(found_.partial)});
    return out;
  }

 private:
  Value text(std::string value) { return owned_text(std::move(value), kept_); }
  static Value count(std::size_t n) { return number_value(integer(static_cast<double>(n))); }

  void add_run(const char* name, const RecomputeTrial& trial, ReportTable& out) {
    out.rows.push_back(
        {text(name), text(trial.rules.empty() ? "none" : trial.rules), trial.step, trial.gain_over(found_.given), trial.memory, budget(), text(trial.reason)});
  }

  /// Returns the budget; an empty value if there is none.
  Value budget() const { return std::isfinite(found_.budget.scalar.value) ? found_.budget : Value(); }

  std::string layers_of(const FoundLine& line) const {
    if (line.part.empty()) return "all";
    return fmt::format("{} of {}", line.part == kSomeLayers ? found_.some : found_.layers - found_.some, found_.layers);
  }

  std::string evidence() const {
    const std::string runs = fmt::format("{} whole runs were evaluated", found_.tried);
    const std::string interrupted = found_.partial ? ", then the search was interrupted" : "";
    if (found_.document.empty()) return fmt::format("No better recomputation was found: {}{}.", runs, interrupted);
    return fmt::format("{}{}: the run itself, documents, points of an exact front of bytes and seconds, and mixes of two over the layers.", runs, interrupted);
  }

  const FoundRecompute& found_;
  ValueOwners& kept_;
};

}  // namespace

Report build_report(const FoundRecompute& found, const RecomputeRequest& request) {
  Report report{request.run.model, found.execution, request.run.system, found.accounting};
  RecomputeWriter writer(found, report.kept);
  report.tables = {writer.runs()};
  if (!found.lines.empty()) report.tables.push_back(writer.lines());
  report.tables.push_back(writer.search());
  return report;
}

}  // namespace opledger
