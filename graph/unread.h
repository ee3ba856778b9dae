#pragma once
#include "base/diagnostics.h"
#include "graph/graph.h"

/// A check for parts of a model that have no effect.
namespace opledger {

/// Warns of nodes whose results nothing reads, as their work and weights are counted nevertheless. Exceptions are the
/// output of the last segment and outputs without dimensions, which are losses. A node with one read output causes no
/// warning.
void warn_of_unread(const Graph& graph, Diagnostics& diagnostics);

}  // namespace opledger
