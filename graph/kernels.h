#pragma once
#include <functional>

#include "graph/annotations.h"

/// Fused kernels. Tensors inside a kernel move no bytes, and backward computes them again from the kernel's inputs.
namespace opledger {

/// Calls `use` for every operand (a node and the position of its input) from which a kernel computes an inner tensor.
/// An operand that is read repeatedly is visited repeatedly.
void for_origins(const Graph& graph, const Annotations& annotations, TensorId inner, const std::function<void(NodeId, std::size_t)>& use);

}  // namespace opledger
