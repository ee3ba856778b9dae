#pragma once
#include <string>
#include <vector>

#include "questions/explain/explainer.h"

namespace opledger {

/// Nodes whose names match the pattern, in the order of the graph; their quantities are opened so deep, or at the explainer's places.
std::vector<ExplainedNode> explained_nodes(Run& run, const std::string& pattern, Explainer& explainer, int depth, Diagnostics& diagnostics);

}  // namespace opledger
