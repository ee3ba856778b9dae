#pragma once
#include "graph/print.h"
#include "run/run.h"

namespace opledger {

/// Returns labels for a drawing of `there`, the graph of a run at chosen words of its cases. A node has the quantities
/// of the report `node`, summed over phases; a collective over more than one rank has its bytes. Values that can't be
/// computed, such as seconds without a system, are omitted.
DrawnNotes graph_notes(const Run::CaseGraph& there);

}  // namespace opledger
