#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "run/run.h"

/// Layout of weights in checkpoint tensors: a matrix is outputs by inputs, a table is rows by elements, any other
/// weight is flat.
namespace opledger {

/// Sizes of one weight.
struct WeightShape {
  std::vector<std::uint64_t> stack;          ///< Leading dimensions that enumerate separate matrices or vectors, such as experts.
  std::uint64_t first = 1;                   ///< Outputs, rows, or all elements of a vector; adds up over weights in one tensor.
  std::uint64_t second = 1;                  ///< Inputs, or elements of a row.
  bool flat = false;                         ///< The weight is a vector and has no second dimension.
  std::map<DimId, std::uint64_t> dims = {};  ///< Sizes of the dimensions, without the stack.
};

/// Computes shapes of a run's weights.
class WeightShapes {
 public:
  /// The run must outlive this object.
  explicit WeightShapes(Run& run);

  /// Returns the shape of a weight. `separate_last` keeps the last of several dimensions of a vector as an axis.
  /// Returns nothing and reports an error if a size has no value or exceeds the limit.
  std::optional<WeightShape> shape(WeightId weight, bool separate_last, Diagnostics& diagnostics);

 private:
  /// Returns the product of the dimensions' sizes. Returns nothing and reports an error without a value or beyond the limit.
  std::optional<std::uint64_t> size(const DimList& dims, Diagnostics& diagnostics);

  Run& run_;
  DimList stacked_;  ///< Dimensions along which some weight is a stack of matrices.
};

/// Returns the shape of one tensor that stores all the weights, of which there is at least one; nothing if the weights
/// form no rectangular tensor. `transposed` swaps the last two axes of matrices with equal layouts. `numbered` says
/// that each matrix of a stack is a tensor of its own; the shape is then without the stack.
std::optional<std::vector<std::uint64_t>> joint_shape(const std::vector<WeightShape>& weights, bool transposed, bool numbered);

}  // namespace opledger
