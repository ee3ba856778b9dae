#pragma once
#include "graph/graph.h"

/// A weight as optimizers see it that treat matrices apart: a stack of matrices, or a plain vector.
namespace opledger {

/// Every dimension of the weight is in one of the three. Of a vector, which no operator declares under `matrices`, all are columns.
struct MatrixDims {
  DimList rows, columns, stack;
};

/// As the operator says that uses the weight first.
MatrixDims matrix_dims(const Graph& graph, WeightId weight);

}  // namespace opledger
