#pragma once
#include "base/diagnostics.h"
#include "graph/condition.h"
#include "graph/graph.h"

/// Warns of segments that rename a parameter and leave out another parameter whose default reads it.
///
/// For example, blocks have the default `kv_heads: heads`. A segment that renames `heads: vision_heads` but not
/// `kv_heads` gets the `kv_heads` of other layers. The criterion: a dimension of the segment's tensors has a default in
/// a document of blocks; the default reads a name that the segment renames; the segment does not rename the dimension
/// itself; the dimension's size is not known to equal the default's value with the segment's names.
namespace opledger {

/// Places each warning at the rename of the segment. `holds` decides conditions, as for `build_graph`.
void warn_of_partial_renames(const Model& model, const Graph& graph, const Condition& holds, Diagnostics& diagnostics);

}  // namespace opledger
