#pragma once
#include <string>

#include "compare/difference.h"
#include "report/report.h"

namespace opledger {

/// Two runs side by side, as tables. Texts of values belong to the runs.
Report build_report(const Differences& all, const Run& first, const Run& second);

/// The same for people: `name  first -> second  change`, and below each why; of operators and elements the largest.
std::string write_differences(const Differences& all, const Run& first, const Run& second);

}  // namespace opledger
