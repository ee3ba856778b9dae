#pragma once
#include <optional>
#include <string>
#include <vector>

#include "graph/annotations.h"

/// Text and drawings of graphs. Each graph has one text, so texts can be compared.
namespace opledger {

/// Prints a line per node, in order:
///   q  linear  x=norm  ->  [batch seq heads head_dim]  w[hidden heads head_dim]
/// A renaming edge reads `k=kr{seq:kv_seq}`, a shared weight `w[hidden vocab]=embedding.tokens.table`.
std::string to_text(const Graph& graph);

/// Prints the graph with the placement of each node (`|  batch/dp heads/tp`), then transfers by phase, saved tensors
/// and placements of weights.
std::string to_text(const Graph& graph, const Annotations& annotations);

/// Texts that a drawing adds to names and placements. A list that is shorter than the graph's has no text for the rest.
struct DrawnNotes {
  std::string title;                                  ///< Title that states the origin of the numbers; empty without numbers.
  IdVector<NodeId, std::vector<std::string>> nodes;   ///< Lines of each node, such as `time 0.75 ms`.
  std::vector<std::optional<std::string>> transfers;  ///< Text of each transfer, such as `64 MiB`; nothing: the transfer moves no bytes and is not drawn.
  std::optional<IdVector<AxisId, bool>> shown;        ///< Axes with several ranks; nothing: all axes are shown.
};

/// Prints Graphviz source, with a cluster per segment and per nested block. With annotations, edges carry the
/// collectives of their tensor in every phase; nodes carry those of their weights and of the gradients of their
/// results.
std::string to_dot(const Graph& graph, const Annotations* annotations, const DrawnNotes& notes = {});

/// Prints a placement: `[batch/dp seq hidden] partial(tp)`, `[hidden ffn/tp] elements/dp`.
std::string to_text(const Graph& graph, const Mesh& mesh, const DimList& dims, const Placement& placement);

}  // namespace opledger
