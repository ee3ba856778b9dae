#pragma once
#include <string>

#include "graph/annotations.h"

/// Graphs as text. One graph has one text, so that texts can be compared.
namespace opledger {

/// A line per node, in order:
///   q  linear  x=norm  ->  [batch seq heads head_dim]  w[hidden heads head_dim]
/// An edge that renames reads `k=kr{seq:kv_seq}`, a shared weight `w[hidden vocab]=embedding.tokens.table`.
std::string to_text(const Graph& graph);

/// The same, each node with its placement (`|  batch/dp heads/tp`), then what travels by phase, what is saved, and where weights live.
std::string to_text(const Graph& graph, const Annotations& annotations);

/// Graphviz: a cluster per segment and per block inside it; edges carry the collectives of the forward pass where annotations are given.
std::string to_dot(const Graph& graph, const Annotations* annotations);

/// `[batch/dp seq hidden] partial(tp)`, `[hidden ffn/tp] elements/dp`
std::string to_text(const Graph& graph, const Mesh& mesh, const DimList& dims, const Placement& placement);

}  // namespace opledger
