#pragma once
#include <string>

#include "measured/table_errors.h"
#include "questions/table.h"
#include "report/report.h"

namespace opledger {

/// Returns a table of runs for people: input columns and metrics by row number, counted from 1, and a separate list of
/// rows that failed, with reasons. Values point into `table`, which must outlive the report.
Report build_report(const EvaluatedTable& table, const std::string& title, const std::string& accounting);

/// Returns the relative errors of a table's runs against measured values, a row for each group of rows and metric.
/// Values point into `errors`, which must outlive the report.
Report build_report(const TableErrors& errors, const std::string& title, const std::string& accounting);

}  // namespace opledger
