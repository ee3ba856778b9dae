#pragma once
#include "cli/command.h"
#include "questions/audit/audit.h"
#include "report/report.h"

namespace opledger {

/// The part of an audit for the option `--checkpoint`. The command adds `checks` to the audit and `tables` to the
/// report of the audit; `kept` owns the texts in the tables.
struct CheckpointPart {
  std::vector<AuditCheck> checks;
  std::vector<ReportTable> tables;
  ValueOwners kept;
};

/// Compares the checkpoint in the options with the model. Returns nothing and reports errors if the checkpoint or the
/// model can't be read, or if no mapping names the checkpoint's tensors.
std::optional<CheckpointPart> checkpoint_part(const Options& options, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
