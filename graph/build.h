#pragma once
#include <optional>

#include "base/diagnostics.h"
#include "graph/condition.h"
#include "graph/graph.h"
#include "graph/parts.h"

/// Construction of a graph from a model: blocks are instantiated, names resolved, and dimensions inferred from
/// signatures and checked on every edge.
namespace opledger {

/// Builds the graph of a model. `holds` decides the conditions of segments and nodes in the current run; `parts` are
/// cuts of layers into segments of their own. The result points into the model and the operators, which must outlive
/// it. Returns nothing, with errors, if the model is invalid: unknown operators, blocks, tensors, ports, dimensions or
/// attributes; dimensions that contradict an operator's signature; cycles; an operator that must contract but does
/// not; repeated names; a graph beyond the limits.
std::optional<Graph> build_graph(const Model& model, const OperatorLibrary& operators, const Condition& holds, Diagnostics& diagnostics,
                                 const std::vector<LayerPart>& parts = {});

}  // namespace opledger
