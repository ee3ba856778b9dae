#pragma once
#include "base/diagnostics.h"
#include "graph/build.h"

/// Warns of segments that rename a parameter and leave out another one that follows it by default.
///
/// A block has `kv_heads: heads`. A segment that says `heads: vision_heads` and nothing of `kv_heads` takes the one of the whole model, which is that of other
/// layers. The criterion: a dimension of the segment's tensors has a default in a document of blocks, the default reads a name that the segment renames, the
/// segment does not rename the dimension itself, and its size differs from that of the default with the segment's names.
namespace opledger {

/// The warnings stand at what the segment renames. `holds`: as for `build_graph`.
void warn_of_half_renamed(const Model& model, const Graph& graph, const Condition& holds, Diagnostics& diagnostics);

}  // namespace opledger
