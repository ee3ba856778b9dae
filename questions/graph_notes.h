#pragma once
#include "graph/print.h"
#include "run/run.h"

namespace opledger {

/// What a drawing of the graph says of its nodes and transfers: quantities that the accounting lists for a node (its report `node`), of all phases together, and bytes that
/// collectives over more than one rank move. What can't be told (seconds without a system) is left out.
DrawnNotes graph_notes(const Run::GraphThere& there);

}  // namespace opledger
