#pragma once
#include <string>

#include "compare/difference.h"
#include "report/report.h"

namespace opledger {

/// Returns two runs as tables of differences. Values point into the runs, which must outlive the report.
Report build_report(const Differences& all, const Run& first, const Run& second);

/// Returns the differences as text: `name  first -> second  change`, followed by a reason. Only the largest differences
/// of operators and elements are listed.
std::string write_differences(const Differences& all, const Run& first, const Run& second);

}  // namespace opledger
