#pragma once
#include "graph/print.h"
#include "run/run.h"

namespace opledger {

/// Returns labels for a drawing of the graph: quantities that the accounting lists for a node (report `node`), summed
/// over phases, and bytes of collectives over more than one rank. Values that can't be computed, such as seconds
/// without a system, are omitted.
DrawnNotes graph_notes(const Run::GraphThere& there);

}  // namespace opledger
