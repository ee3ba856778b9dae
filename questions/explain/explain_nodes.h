#pragma once
#include <string>
#include <vector>

#include "questions/explain/explainer.h"

namespace opledger {

/// Explains the nodes whose names match the pattern, in the order of the graph. Quantities are expanded to `depth`, or
/// into the explainer's expansion table.
std::vector<ExplainedNode> explained_nodes(Run& run, const std::string& pattern, Explainer& explainer, int depth, Diagnostics& diagnostics);

}  // namespace opledger
