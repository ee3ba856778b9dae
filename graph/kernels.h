#pragma once
#include <functional>

#include "graph/annotations.h"

/// Fused kernels: groups of nodes that run as one. Tensors inside a kernel (inner tensors, Annotations::inner) move no
/// bytes, and backward computes them again from the kernel's inputs.
namespace opledger {

/// Calls `use` for every operand (a node and the position of its input) from outside of the kernel from which the
/// kernel computes the inner tensor `inner`. An operand that is read repeatedly is visited repeatedly.
void for_origins(const Graph& graph, const Annotations& annotations, TensorId inner, const std::function<void(NodeId, std::size_t)>& use);

}  // namespace opledger
