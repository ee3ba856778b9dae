#pragma once
#include <string>

#include "graph/annotations.h"

/// The operator graph as JSON.
namespace opledger {

/// Returns {"format", "dimensions", "segments", "nodes", "tensors", "weights"}; with annotations (null: none) also
/// {"axes", "transfers", "saved", "rules"} and placements of nodes and weights. Elements refer to each other by name;
/// sizes are names of dimensions.
std::string write_graph_json(const Graph& graph, const Annotations* annotations);

}  // namespace opledger
