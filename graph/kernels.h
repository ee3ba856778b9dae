#pragma once
#include <functional>

#include "graph/annotations.h"

/// Nodes that run as one kernel: what passes between them moves no bytes, and backward makes it again from what comes in.
namespace opledger {

/// Calls `use` with every operand, a node and the position of its input, from which a kernel makes an inner tensor; each as often as it is read.
void for_origins(const Graph& graph, const Annotations& annotations, TensorId inner, const std::function<void(NodeId, std::size_t)>& use);

}  // namespace opledger
