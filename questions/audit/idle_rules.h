#pragma once
#include <vector>

#include "questions/audit/audit.h"

namespace opledger {

/// Rule documents without which the annotated graph of a run would be the same: the mesh lacks their axes, or other rules have said it all. Under `value`, the
/// axes that they name and the mesh lacks. Nothing if the run can't be prepared.
std::vector<AuditKey> idle_rules(const RunRequest& request, Library& library);

}  // namespace opledger
