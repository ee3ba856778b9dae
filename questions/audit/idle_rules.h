#pragma once
#include <vector>

#include "questions/audit/audit.h"

namespace opledger {

/// Returns the rule documents whose removal leaves the annotated graph unchanged: the mesh lacks their axes, or other
/// rules have the same effect. `value` lists the missing axes. Empty if the run can't be prepared.
std::vector<AuditKey> idle_rules(const RunRequest& request, Library& library);

}  // namespace opledger
