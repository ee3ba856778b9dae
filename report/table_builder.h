#pragma once
#include <optional>

#include "report/report.h"

/// Evaluation of an accounting's tables in a run.
namespace opledger {

/// Returns the table, or nothing if the run lacks a system that the table needs. Evaluation errors go to `messages` and
/// also give nothing. Owners of new texts and lists are added to `kept`.
std::optional<ReportTable> build_table(const Table& table, Run& run, bool for_people, ValueOwners& kept, Diagnostics& diagnostics, Diagnostics& messages);

}  // namespace opledger
