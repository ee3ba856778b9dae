#include "questions/node_quantities.h"

namespace opledger {

std::vector<std::pair<std::string, const Name*>> node_quantities(const Program& program) {
  std::vector<std::pair<std::string, const Name*>> out;
  const auto report = program.reports.find("node");
  if (report == program.reports.end()) return out;
  for (const ReportPart& part : report->second) {
    for (const auto& [label, which] : part.metrics) {
      const Name* name = program.find(which);
      if (name != nullptr && name->at_node) out.emplace_back(label, name);
    }
  }
  return out;
}

}  // namespace opledger
