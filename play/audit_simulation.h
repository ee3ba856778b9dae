#pragma once
#include <optional>
#include <vector>

#include "questions/audit/audit.h"

namespace opledger {

/// Audits a run: the checks of questions/audit, and a comparison of formulas with the simulated step. Returns
/// nothing, with errors, if a check can't be evaluated or an expectation can't be parsed.
std::optional<Audit> audit(Run& run, const std::vector<Expectation>& expectations, Diagnostics& diagnostics);

}  // namespace opledger
