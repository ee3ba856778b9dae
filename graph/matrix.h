#pragma once
#include "graph/graph.h"

/// Shapes of weights for optimizers that treat matrices separately: a stack of matrices, or a plain vector.
namespace opledger {

/// A partition of the weight's dimensions. An operator declares it under `matrices`; a vector has columns only.
struct MatrixDims {
  DimList rows, columns, stack;
};

/// Returns the shape by the operator of the weight's first use.
MatrixDims matrix_dims(const Graph& graph, WeightId weight);

}  // namespace opledger
