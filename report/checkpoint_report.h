#pragma once
#include "import/checkpoint/checkpoint_audit.h"
#include "report/report.h"

namespace opledger {

/// Returns the tables of findings about a checkpoint. `missing`: tensors of the model that are not stored; `unknown`:
/// stored tensors that nothing explains; `misshapen`: stored tensors of another shape. `unnamed`: weights that the
/// mapping does not name; `beside`: stored tensors that rightly belong to no weight. `types`: numbers of tensors and
/// bytes by number format; `names`: the mapping, and prefixes that it replaces. Owners of new texts are added to
/// `kept`.
std::vector<ReportTable> checkpoint_tables(const CheckpointAudit& audit, ValueOwners& kept);

}  // namespace opledger
