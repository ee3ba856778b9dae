#pragma once
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "questions/explain/explainer.h"

namespace opledger {

/// Explains the nodes whose names match the pattern, in the order of the graph. Quantities are expanded to `depth` levels
/// of names, or into the explainer's expansion table if it has one. Empty without a matching node. The run needs a graph;
/// values that can't be computed are omitted, with errors. Nodes after the first `most` are brief (ExplainedNode::brief).
std::vector<ExplainedNode> explained_nodes(Run& run, const std::string& pattern, Explainer& explainer, int depth, Diagnostics& diagnostics,
                                           std::size_t most = std::numeric_limits<std::size_t>::max());

}  // namespace opledger
