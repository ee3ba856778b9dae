#include "report/found_recompute_report.h"

#include <fmt/core.h>

#include "base/text.h"
#include "find/recompute_rules.h"
#include "formulas/value.h"
#include "report/compared_rules.h"

namespace opledger {
namespace {

/// A writer of the tables.
class RecomputeWriter {
 public:
  RecomputeWriter(const FoundRecompute& found, ValueOwners& kept) : found_(found), kept_(kept) {}

  ReportTable runs() {
    return compared_rules({"Recomputation in backward", &found_.given, found_.shipped ? &*found_.shipped : nullptr,
                           found_.document.empty() ? nullptr : &found_.found, found_.budget, evidence(), found_.replaced},
                          kept_);
  }

  ReportTable search() {
    ReportTable out{"search", "Search", {"runs_evaluated", "points_of_front", "partial"}, {}};
    out.detail = true;
    out.rows.push_back({count(found_.tried), count(found_.points), truth_value(found_.partial)});
    return out;
  }

 private:
  static Value count(std::size_t n) { return number_value(integer(static_cast<double>(n))); }

  std::string evidence() const {
    const std::string runs = fmt::format("{} whole runs were evaluated", found_.tried);
    const std::string interrupted = found_.partial ? ", then the search was interrupted" : "";
    if (found_.document.empty()) return fmt::format("No better recomputation was found: {}{}.", runs, interrupted);
    return fmt::format("{}{}: the run itself, documents, points of an exact front of bytes and seconds, and mixes of two over the layers.", runs, interrupted);
  }

  const FoundRecompute& found_;
  ValueOwners& kept_;
};

std::string layers_of(const FoundLine& line, const FoundRecompute& found) {
  if (line.part.empty()) return "all";
  return fmt::format("{} of {}", line.part == kSomeLayers ? found.some : found.layers - found.some, found.layers);
}

}  // namespace

ReportTable recompute_lines(const FoundRecompute& found, ValueOwners& kept) {
  ReportTable out{
      "lines", "Lines of the found document: seconds of a step that each costs, and bytes that it saves", {"recomputed", "layers", "costs", "saves"}, {}};
  out.prose = {"recomputed"};
  for (const FoundLine& line : found.lines)
    out.rows.push_back({owned_text(line.names, kept), owned_text(layers_of(line, found), kept), line.costs, line.saves});
  return out;
}

Report build_report(const FoundRecompute& found, const RecomputeRequest& request) {
  Report report{request.run.model, found.execution, request.run.system, found.accounting};
  RecomputeWriter writer(found, report.kept);
  report.tables = {writer.runs()};
  if (!found.lines.empty()) report.tables.push_back(recompute_lines(found, report.kept));
  report.tables.push_back(writer.search());
  return report;
}

}  // namespace opledger
