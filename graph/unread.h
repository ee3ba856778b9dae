#pragma once
#include "base/diagnostics.h"
#include "graph/graph.h"

namespace opledger {

/// Warns of nodes that nothing reads, at their lines: what they compute and their weights count all the same. What a model makes is legitimately unread: the
/// output of its last segment, and losses, which are the outputs without dimensions. An output beside another one that is read (a mask) is no mistake.
void warn_of_unread(const Graph& graph, Diagnostics& diagnostics);

}  // namespace opledger
