#include "graph/kernels.h"

namespace opledger {

/// Walks backward from the tensor through inner tensors until the kernel's inputs. The walk ends, because the graph has
/// no cycles; its cost is the number of paths within the kernel.
void for_origins(const Graph& graph, const Annotations& annotations, TensorId inner, const std::function<void(NodeId, std::size_t)>& use) {
  const NodeId producer = graph.tensors[inner].producer;
  const std::vector<Operand>& inputs = graph.nodes[producer].inputs;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (annotations.inner[inputs[i].tensor] != 0)
      for_origins(graph, annotations, inputs[i].tensor, use);
    else
      use(producer, i);
  }
}

}  // namespace opledger
