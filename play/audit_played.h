#pragma once
#include <optional>
#include <vector>

#include "questions/audit/audit.h"

namespace opledger {

/// Empty, with errors, if something can't be evaluated or an expectation isn't understood.
std::optional<Audit> audit(Run& run, const std::vector<Expectation>& expectations, Diagnostics& diagnostics);

}  // namespace opledger
