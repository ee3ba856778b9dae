#pragma once

#include "questions/fit/fit.h"
#include "report/report.h"

namespace opledger {

/// The answer of a search for what fits, and what is in the way beyond it. Texts of values belong to the answer.
Report build_report(const Fit& fit, const FitRequest& request);

}  // namespace opledger
