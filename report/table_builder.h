#pragma once
#include <optional>

#include "report/report.h"

/// Evaluation of an accounting's tables in a run.
namespace opledger {

/// Evaluates a table of the run's accounting. Returns nothing if the run lacks a system that the rows need, or after an
/// error. With `for_people`, the table has at most its declared number of rows and may have headings of groups. Errors
/// in the tree of rows go to `diagnostics`; errors of evaluation go to `messages`, which callers may ignore for an
/// infeasible run. A column whose cells can't be evaluated is left out. Owners of new texts and lists are added to
/// `kept`.
std::optional<ReportTable> build_table(const Table& table, Run& run, bool for_people, ValueOwners& kept, Diagnostics& diagnostics, Diagnostics& messages);

}  // namespace opledger
