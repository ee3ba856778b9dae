#pragma once
#include "import/checkpoint/checkpoint_audit.h"
#include "report/report.h"

namespace opledger {

/// What was found in a checkpoint, beside the checks that are made of it: `missing`, `unknown`, `misshapen`, `beside`, `unnamed`, `types`.
std::vector<ReportTable> checkpoint_tables(const CheckpointAudit& audit, Kept& kept);

}  // namespace opledger
