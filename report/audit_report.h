#pragma once
#include "questions/audit/audit.h"
#include "report/report.h"

namespace opledger {

/// Returns the report of an audited run: its checks, `remarks` (warnings from the rules), and tables of document keys:
/// unread, without effect, stated, and assumed by default. Values point into `audit` and `remarks`, so both must
/// outlive the report.
Report build_report(const Audit& audit, const Run& run, const std::vector<Diagnostic>& remarks);

/// Returns the report of checks on `model` alone, without a run (as for a checkpoint).
Report build_report(const Audit& audit, const std::string& model);

/// Returns the report of an audited run with its violations, and with the tables of the accounting's report `audit`
/// before the table `stated`. With `for_people`, these tables have at most their declared number of rows. Evaluation
/// errors go to `diagnostics`.
Report build_audit_report(const Audit& audit, Run& run, const std::vector<Diagnostic>& remarks, bool for_people, Diagnostics& diagnostics);

/// Returns a line for each failed check: both values, the worst of several elements, and the position of the check in
/// its document.
std::vector<std::string> failures(const Audit& audit);

}  // namespace opledger
