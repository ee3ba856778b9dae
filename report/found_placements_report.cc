#include "report/found_placements_report.h"

#include <fmt/core.h>

#include "base/text.h"
#include "formulas/value.h"
#include "report/compared_rules.h"

namespace opledger {
namespace {

/// A writer of the tables.
class PlacementsWriter {
 public:
  PlacementsWriter(const FoundPlacements& found, ValueOwners& kept) : found_(found), kept_(kept) {}

  ReportTable runs() {
    return compared_rules({fmt::format("Placements over {}", join(found_.axes, ", ")), &found_.given, found_.shipped ? &*found_.shipped : nullptr,
                           found_.document.empty() ? nullptr : &found_.found, found_.budget, evidence(), found_.replaced},
                          kept_);
  }

  ReportTable search() {
    ReportTable out{"search", "Search", {"runs_evaluated", "choices", "estimated_step", "partial"}, {}};
    out.detail = true;
    out.rows.push_back(
        {count(found_.tried), count(found_.space.variables.size()), number_value(real(found_.estimate), found_.found.step.unit), truth_value(found_.partial)});
    return out;
  }

 private:
  static Value count(std::size_t n) { return number_value(integer(static_cast<double>(n))); }

  std::string evidence() const {
    const std::string interrupted = found_.partial ? ", then the search was interrupted" : "";
    if (found_.document.empty()) {
      const std::string best =
          found_.searched.step.is_number() ? human(found_.searched.step) + " and " + human(found_.searched.memory) : found_.searched.reason;
      return fmt::format("No better placements were found: {} runs were evaluated{}. The best document of the search: {}.", found_.tried, interrupted, best);
    }
    const std::string in_turn = found_.in_turn ? " The axes were searched one after the other, because they have too many combinations." : "";
    return fmt::format("{} runs were evaluated{}: the run itself, documents, the optimum of the sum of tables ({}), and changes of single nodes.{}",
                       found_.tried, interrupted, human(number_value(real(found_.estimate), found_.found.step.unit)), in_turn);
  }

  const FoundPlacements& found_;
  ValueOwners& kept_;
};

}  // namespace

ReportTable placement_lines(const FoundPlacements& found, ValueOwners& kept) {
  ReportTable out{"lines", "Lines of the found document, and seconds of a step that the next best placement of one node costs", {"line", "else", "costs"}, {}};
  out.prose = {"line"};
  for (const PlacementLine& line : found.lines) {
    const Value costs = line.has_other ? number_value(real(line.more_seconds), found.found.step.unit) : Value();
    out.rows.push_back({owned_text(line.text, kept), owned_text(line.otherwise, kept), costs});
  }
  return out;
}

Report build_report(const FoundPlacements& found, const PlacementsRequest& request) {
  Report report{request.run.model, found.execution, request.run.system, found.accounting};
  PlacementsWriter writer(found, report.kept);
  report.tables = {writer.runs()};
  if (!found.lines.empty()) report.tables.push_back(placement_lines(found, report.kept));
  report.tables.push_back(writer.search());
  return report;
}

}  // namespace opledger
