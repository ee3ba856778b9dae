#pragma once
#include "import/checkpoint/checkpoint_audit.h"
#include "report/report.h"

namespace opledger {

/// Returns the tables of findings about a checkpoint. `missing`: tensors of the model that are not stored; `unknown`:
/// stored tensors without an explanation; `misshapen`: stored tensors of another shape. `unnamed`: weights for which
/// the mapping has no tensor; `beside`: stored tensors that rightly belong to no weight, such as copies of tied
/// weights. `types`: numbers of tensors and bytes by number format. `names`: the mapping, and the prefixes under which
/// the checkpoint stores the model. Owners of new texts are added to `kept`.
std::vector<ReportTable> checkpoint_tables(const CheckpointAudit& audit, ValueOwners& kept);

}  // namespace opledger
