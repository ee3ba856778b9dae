#pragma once
#include <functional>
#include <optional>
#include <vector>

/// The division of a sequence of layers into consecutive parts, one for each pipeline stage or chunk, such that the
/// slowest part is as fast as possible.
namespace opledger {

/// Layers with their costs, and the parts to divide them into.
struct PartitionProblem {
  std::vector<double> seconds;  ///< Seconds of each layer, in the order of the model; finite, at least 0.
  std::vector<double> extra;    ///< Seconds of each part besides its layers; the size is the number of parts.
  /// Returns whether a part may hold the layers [begin, end). Empty: every part may hold any layers.
  std::function<bool(std::size_t part, std::size_t begin, std::size_t end)> may_hold = {};
};

/// A division of the layers.
struct Partition {
  std::vector<long long> layers;  ///< Number of layers of each part; their sum is the number of layers.
  double slowest = 0;             ///< Seconds of the slowest part.
};

/// Returns the division whose slowest part is fastest. Of equally fast divisions, it is the one with the least sum of
/// squared seconds, and then the one with the fewest layers in early parts. Nothing if no division is permitted.
std::optional<Partition> partition_layers(const PartitionProblem& problem);

}  // namespace opledger
