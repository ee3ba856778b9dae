#pragma once
#include <optional>
#include <vector>

#include "questions/audit/audit.h"

/// The complete audit of a run. It lies in this folder, because questions/audit can't simulate steps.
namespace opledger {

/// Audits a run: the checks of questions/audit, lists of unread, assumed and stated values, and a comparison of
/// formulas with the simulated step. `expectations` are values of metrics that the user expects. A failed check is a
/// result, not an error. Returns nothing, with errors, if a check can't be evaluated or an expectation can't be
/// parsed. A step that can't be simulated is no error: `Audit::unplayed` has the reason, unless the run lacks a
/// document that the simulation needs.
std::optional<Audit> audit(Run& run, const std::vector<Expectation>& expectations, Diagnostics& diagnostics);

}  // namespace opledger
