#pragma once
#include <optional>
#include <string>
#include <vector>

#include "graph/annotations.h"

/// Graphs as text. One graph has one text, so that texts can be compared.
namespace opledger {

/// A line per node, in order:
///   q  linear  x=norm  ->  [batch seq heads head_dim]  w[hidden heads head_dim]
/// An edge that renames reads `k=kr{seq:kv_seq}`, a shared weight `w[hidden vocab]=embedding.tokens.table`.
std::string to_text(const Graph& graph);

/// The same, each node with its placement (`|  batch/dp heads/tp`), then what travels by phase, what is saved, and where weights live.
std::string to_text(const Graph& graph, const Annotations& annotations);

/// What a drawing says of a run beside names and placements, in lines. Shorter lists than the graph's: nothing of the others.
struct DrawnNotes {
  std::string title;                                  ///< What the numbers are of; empty: there are none.
  IdVector<NodeId, std::vector<std::string>> nodes;   ///< `time 0.75 ms`
  std::vector<std::optional<std::string>> transfers;  ///< By position: `64 MiB`; nothing: it moves nothing, and is left out.
  std::optional<IdVector<AxisId, bool>> shown;        ///< Axes of more than one rank; nothing: all are shown.
};

/// Graphviz: a cluster per segment and per block inside it; where annotations are given, edges carry the collectives of every phase over their tensor, and nodes those of
/// their weights and of the gradients of their results.
std::string to_dot(const Graph& graph, const Annotations* annotations, const DrawnNotes& notes = {});

/// `[batch/dp seq hidden] partial(tp)`, `[hidden ffn/tp] elements/dp`
std::string to_text(const Graph& graph, const Mesh& mesh, const DimList& dims, const Placement& placement);

}  // namespace opledger
