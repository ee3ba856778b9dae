#pragma once
#include "graph/graph.h"

/// Shapes of weights for optimizers that treat matrices differently from other weights: a weight is a stack of
/// matrices, or a plain vector.
namespace opledger {

/// A partition of the weight's dimensions into those of rows, of columns, and of the index of a matrix in the stack. A
/// matrix has as many rows as the product of the sizes of `rows`. A vector has columns only.
struct MatrixDims {
  DimList rows, columns, stack;
};

/// Returns the shape of a weight, as the operator of its first use declares it under `matrices`. Without a
/// declaration, or without a use, the weight is a vector.
MatrixDims matrix_dims(const Graph& graph, WeightId weight);

}  // namespace opledger
