#include "report/found_stages_report.h"

#include <fmt/core.h>

#include "base/text.h"
#include "formulas/value.h"

namespace opledger {
namespace {

/// Returns counts as text; equal neighbors are written once: `10 x 6, 11, 9`.
std::string layers_text(const std::vector<long long>& layers) {
  std::vector<std::string> out;
  for (std::size_t begin = 0, end = 0; begin < layers.size(); begin = end) {
    while (end < layers.size() && layers[end] == layers[begin]) ++end;
    out.push_back(end - begin > 2 ? fmt::format("{} x {}", layers[begin], end - begin) : fmt::format("{}", layers[begin]));
    if (end - begin == 2) out.push_back(out.back());
  }
  return join(out, ", ");
}

/// A writer of the tables.
class StagesWriter {
 public:
  StagesWriter(const FoundStages& found, ValueOwners& kept) : found_(found), kept_(kept) {}

  ReportTable divisions() {
    ReportTable out{"divisions",
                    found_.chunks > 1 ? "Layers of each chunk" : "Layers of each pipeline stage",
                    {"run", "layers", "step", "gain", "memory", "capacity", "reason"},
                    {}};
    out.prose = {"layers", "reason"};
    out.units = {{"gain", "%", 0.01, 1}};
    add_division("given", found_.given, out);
    if (!found_.settings.empty()) add_division("found", found_.found, out);
    const bool has_reason = !found_.given.reason.empty() || !found_.found.reason.empty();
    if (!has_reason) out.hidden = {"reason"};
    out.notes.push_back(evidence());
    return out;
  }

  ReportTable stages() {
    ReportTable out{"stages", "Seconds of each stage for one microbatch, forward and backward", {"stage", "layers", "pace"}, {}};
    const bool has_found = !found_.settings.empty();
    if (has_found) out.columns = {"stage", "layers", "pace", "found_layers", "found_pace"};
    for (std::size_t k = 0; k < found_.given.pace.size(); ++k) {
      std::vector<Value> row = {count(k), layers_of(found_.given, k), found_.given.pace[k]};
      if (has_found && k < found_.found.pace.size()) row.insert(row.end(), {layers_of(found_.found, k), found_.found.pace[k]});
      row.resize(out.columns.size());
      out.rows.push_back(std::move(row));
    }
    return out;
  }

  ReportTable search() {
    ReportTable out{"search", "Search", {"runs_evaluated", "estimated_pace", "partial"}, {}};
    out.detail = true;
    out.rows.push_back({count(found_.tried), number_value(real(found_.estimate), seconds()), truth_value(found_.partial)});
    return out;
  }

 private:
  Value text(std::string value) { return owned_text(std::move(value), kept_); }
  static Value count(std::size_t n) { return number_value(integer(static_cast<double>(n))); }
  Dimension seconds() const { return found_.given.step.unit; }

  void add_division(const char* name, const StagesTrial& trial, ReportTable& out) {
    out.rows.push_back(
        {text(name), text(layers_text(trial.layers)), trial.step, trial.gain_over(found_.given), trial.memory, trial.capacity, text(trial.reason)});
  }

  /// Returns the layers of a stage: the sum of its chunks, which are dealt to the stages in turn.
  Value layers_of(const StagesTrial& trial, std::size_t stage) const {
    long long sum = 0;
    const std::size_t stages = static_cast<std::size_t>(found_.stages);
    for (std::size_t chunk = stage; chunk < trial.layers.size(); chunk += stages) sum += trial.layers[chunk];
    return count(static_cast<std::size_t>(sum));
  }

  std::string evidence() const {
    const std::string runs = fmt::format("{} whole runs were evaluated", found_.tried);
    const std::string interrupted = found_.partial ? ", then the search was interrupted" : "";
    if (found_.settings.empty()) return fmt::format("No better division was found: {}{}.", runs, interrupted);
    return fmt::format("{}{}: the run itself, the optimum for the costs of single layers, and divisions with one layer moved.", runs, interrupted);
  }

  const FoundStages& found_;
  ValueOwners& kept_;
};

}  // namespace

ReportTable stage_settings(const FoundStages& found, ValueOwners& kept) {
  ReportTable out{"settings", "Settings of the found run, for the execution or `--set`", {"key", "value"}, {}};
  out.prose = {"value"};
  for (const auto& [key, value] : found.settings) out.rows.push_back({owned_text(key, kept), owned_text(value, kept)});
  return out;
}

Report build_report(const FoundStages& found, const StagesRequest& request) {
  Report report{request.run.model, found.execution, request.run.system, found.accounting};
  StagesWriter writer(found, report.kept);
  report.tables = {writer.divisions(), writer.stages()};
  if (!found.settings.empty()) report.tables.push_back(stage_settings(found, report.kept));
  report.tables.push_back(writer.search());
  return report;
}

}  // namespace opledger
