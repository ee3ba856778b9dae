#pragma once
#include "measured/calibration.h"
#include "report/report.h"

/// The report of a calibration.
namespace opledger {

/// Returns fitted constants, and the errors of computed times before and after the fit. With `request.check`, the
/// report has only the errors of the unchanged document. Constants that no row depends on are listed separately. Values
/// point into `calibration`, which must outlive the report.
Report build_report(const Calibration& calibration, const CalibrationRequest& request);

}  // namespace opledger
