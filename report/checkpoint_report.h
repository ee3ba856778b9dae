#pragma once
#include "import/checkpoint/checkpoint_audit.h"
#include "report/report.h"

namespace opledger {

/// Returns the tables of findings about a checkpoint: `missing`, `unknown`, `misshapen`, `unnamed`, `beside` (stored
/// tensors without a weight of the model), `types` and `names`. Texts are added to `kept`.
std::vector<ReportTable> checkpoint_tables(const CheckpointAudit& audit, ValueOwners& kept);

}  // namespace opledger
