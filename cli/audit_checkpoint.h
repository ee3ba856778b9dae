#pragma once
#include "cli/command.h"
#include "questions/audit/audit.h"
#include "report/report.h"

namespace opledger {

/// What `--checkpoint` asks of an audit: its checks are added to `audit`, its tables to `report` once it is built from that.
struct CheckpointPart {
  std::vector<AuditCheck> checks;
  std::vector<ReportTable> tables;
  Kept kept;
};

/// Empty, with errors: the checkpoint or the model can't be read, or no mapping says what its tensors are called.
std::optional<CheckpointPart> checkpoint_part(const Options& options, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
