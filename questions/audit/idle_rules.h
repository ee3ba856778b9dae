#pragma once
#include <vector>

#include "questions/audit/audit.h"

namespace opledger {

/// Returns the rule documents whose removal leaves the annotated graph unchanged: the mesh lacks their axes, or other
/// rules have the same effect. `key` is the name of the document, and `value` lists the missing axes. Empty if the run
/// can't be prepared or has no model. The cost is one annotation of the graph for each rule document.
std::vector<AuditKey> idle_rules(const RunRequest& request, Library& library);

}  // namespace opledger
