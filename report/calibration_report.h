#pragma once
#include "measured/calibration.h"
#include "report/report.h"

/// Fitted constants, and how far computed times are from measured ones before and after.
namespace opledger {

Report build_report(const Calibration& calibration, const CalibrationRequest& request);

}  // namespace opledger
