#pragma once
#include <optional>

#include "base/diagnostics.h"
#include "graph/condition.h"
#include "graph/graph.h"
#include "graph/parts.h"

/// Model to graph: blocks instantiated, names resolved, dimensions inferred from signatures and checked on every edge.
namespace opledger {

/// Null, with errors, if the model does not make a graph: unknown operators, blocks, tensors, ports, dimensions or attributes, dimensions that do not match
/// their operator's signature, cycles, an operator that contracts nothing though it must, names used twice, a graph beyond the limits.
std::optional<Graph> build_graph(const Model& model, const OperatorLibrary& operators, const Condition& holds, Diagnostics& diagnostics,
                                 const std::vector<LayerPart>& parts = {});

}  // namespace opledger
