#pragma once
#include "measured/validation.h"
#include "report/report.h"

namespace opledger {

/// Returns the tables of a validation: published numbers, computed numbers, relative errors, and a table of error
/// statistics. Values point into `validation`, which must outlive the report.
Report build_report(const Validation& validation);

/// Returns a table with the error statistics of several validations. Values point into `validations`, which must
/// outlive the report.
Report summary_of(const std::vector<Validation>& validations);

}  // namespace opledger
