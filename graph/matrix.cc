#include "graph/matrix.h"

#include <algorithm>

#include "graph/signature.h"

namespace opledger {

/// Divides the dimensions of a weight into rows, columns and the stack of matrices. Evaluates the formulas for rows and
/// stack that the operator of the first use declares for the weight's port.
/// Dimensions that the declaration names but the weight lacks are ignored, and a dimension of the stack is no row.
/// Columns are the remaining dimensions, so every dimension is in exactly one list.
MatrixDims matrix_dims(const Graph& graph, WeightId id) {
  const Weight& weight = graph.weights[id];
  MatrixDims out;
  if (!weight.uses.empty()) {
    const auto& [node, port] = weight.uses.front();
    const Operator& op = *graph.nodes[node].op;
    const std::string& name = op.weights[port].name;
    const auto found = std::find_if(op.matrices.begin(), op.matrices.end(), [&](const Operator::Matrix& m) { return m.weight == name; });
    const auto dims = [&, user = node](const ExprPtr& formula) {
      const auto sized = formula ? node_dims(graph, user, *formula) : std::nullopt;
      return sized ? without(weight.dims, without(weight.dims, sized->dims)) : DimList{};  // The intersection with the weight's dimensions.
    };
    if (found != op.matrices.end()) {
      out.stack = dims(found->stack);
      out.rows = without(dims(found->rows), out.stack);
    }
  }
  out.columns = without(without(weight.dims, out.rows), out.stack);
  return out;
}

}  // namespace opledger
