#pragma once
#include <string>

#include "graph/annotations.h"

/// The operator graph for programs.
namespace opledger {

/// {"dimensions", "segments", "nodes", "tensors", "weights"}, and with annotations {"axes", "transfers", "saved", "rules"} and the placement of every node and weight. Things
/// name each other by their names; sizes are names of dimensions.
std::string write_graph_json(const Graph& graph, const Annotations* annotations);

}  // namespace opledger
