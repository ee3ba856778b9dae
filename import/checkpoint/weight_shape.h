#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "run/run.h"

/// How weights lie in tensors of checkpoints: a matrix as its outputs by its inputs, a table as its rows by their elements, everything else in a row.
namespace opledger {

struct WeightShape {
  std::vector<std::uint64_t> stack;          ///< Dimensions of which each entry is a matrix or a vector of its own: experts.
  std::uint64_t first = 1;                   ///< Outputs, rows, or all there is: what adds up where weights share a tensor.
  std::uint64_t second = 1;                  ///< Inputs, or elements of a row …
  bool flat = false;                         ///< … or there are none: a vector.
  std::map<DimId, std::uint64_t> dims = {};  ///< All but those of the stack.
};

class WeightShapes {
 public:
  explicit WeightShapes(Run& run);

  /// `apart`: of a weight that is no matrix, the last dimension stays one. Empty, with errors: a size has no value.
  std::optional<WeightShape> shape(WeightId weight, bool apart, Diagnostics& diagnostics);

 private:
  std::optional<std::uint64_t> size(const DimList& dims, Diagnostics& diagnostics);

  Run& run_;
  DimList stacked_;  ///< Dimensions along which some weights are stacks of matrices.
};

/// The shape of a tensor that holds all of them. Empty: they make up none.
std::optional<std::vector<std::uint64_t>> joint_shape(const std::vector<WeightShape>& weights, bool transposed, bool numbered);

}  // namespace opledger
