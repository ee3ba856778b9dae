#pragma once
#include "questions/audit/audit.h"
#include "report/report.h"

namespace opledger {

/// Returns the report of an audited run: its checks, `remarks` (warnings from the rules), and the document keys behind
/// assumptions.
/// Values point into `audit` and `remarks`, so both must outlive the report.
Report build_report(const Audit& audit, const Run& run, const std::vector<Diagnostic>& remarks);

/// Returns the report of checks on `model` alone, without a run (as for a checkpoint).
Report build_report(const Audit& audit, const std::string& model);

/// Returns the report of an audited run, with violations and the tables of the accounting's report `audit` inserted
/// before the table `stated`. Evaluation errors go to `diagnostics`.
Report build_audit_report(const Audit& audit, Run& run, const std::vector<Diagnostic>& remarks, bool for_people, Diagnostics& diagnostics);

/// Returns a line for each failed check: both numbers, and the place where the check is written.
std::vector<std::string> failures(const Audit& audit);

}  // namespace opledger
