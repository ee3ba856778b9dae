#pragma once

#include "questions/fit/fit.h"
#include "report/report.h"

namespace opledger {

/// Returns the report of `fit`: the largest fitting value or the fewest processors, the constraints violated by the
/// nearest other candidates, and the evidence for the answer. `request` gives the names of the documents. Values point
/// into `fit`, which must outlive the report.
Report build_report(const Fit& fit, const FitRequest& request);

}  // namespace opledger
