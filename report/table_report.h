#pragma once
#include <string>

#include "measured/table_errors.h"
#include "questions/table.h"
#include "report/report.h"

namespace opledger {

/// A table of runs for people: its columns and figures by the number of the row, and apart from these what is wrong with the rows that could not be evaluated.
/// The report's texts belong to the table.
Report build_report(const EvaluatedTable& table, const std::string& title, const std::string& accounting);

/// How far off the runs of a table are, by groups.
Report build_report(const TableErrors& errors, const std::string& title, const std::string& accounting);

}  // namespace opledger
