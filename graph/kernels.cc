#include "graph/kernels.h"

namespace opledger {

void for_origins(const Graph& graph, const Annotations& annotations, TensorId inner, const std::function<void(NodeId, std::size_t)>& use) {
  const NodeId maker = graph.tensors[inner].producer;
  const std::vector<Operand>& inputs = graph.nodes[maker].inputs;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (annotations.inner[inputs[i].tensor] != 0)
      for_origins(graph, annotations, inputs[i].tensor, use);
    else
      use(maker, i);
  }
}

}  // namespace opledger
