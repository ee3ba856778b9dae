#pragma once
#include "questions/audit/audit.h"
#include "report/report.h"

namespace opledger {

/// What an audit found, and what the rules said (`remarks`: warnings of the run). Texts of values belong to the audit and the remarks; the run must live as long.
Report build_report(const Audit& audit, const Run& run, const std::vector<Diagnostic>& remarks);

/// The checks of something that is no run.
Report build_report(const Audit& audit, const std::string& model);

/// The same, with the tables that the accounting has for an audit (its report `audit`) behind those of the rules, and what makes the run impossible.
Report build_audit_report(const Audit& audit, Run& run, const std::vector<Diagnostic>& remarks, bool for_people, Diagnostics& diagnostics);

/// A line for each check that failed: the two numbers and where they come from.
std::vector<std::string> failures(const Audit& audit);

}  // namespace opledger
