#pragma once
#include "measured/validation.h"
#include "report/report.h"

namespace opledger {

/// The tables of a validation - published numbers, computed ones, by what share these miss those - and one of the errors of each. Its texts are those of the
/// validation, which must outlive it.
Report build_report(const Validation& validation);

/// One table: the errors of all of them.
Report summary_of(const std::vector<Validation>& validations);

}  // namespace opledger
