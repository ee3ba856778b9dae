#pragma once

#include "questions/fit/fit.h"
#include "report/report.h"

namespace opledger {

/// Returns the report of `fit`: the largest fitting value, and the constraints violated beyond it. Values point into
/// `fit`, which must outlive the report.
Report build_report(const Fit& fit, const FitRequest& request);

}  // namespace opledger
