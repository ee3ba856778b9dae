#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "import/checkpoint/checkpoint_names.h"
#include "run/run.h"

/// The names and shapes of the tensors in a checkpoint of a model: the graph's weights by the `tensors` of a mapping. Layers are numbered in the order in which
/// they run, each kind of names (`encoder.block.*`) by itself.
namespace opledger {

/// An entry of a mapping's `tensors`. Conditions on configs are left out: of several names for a weight, the checkpoint has one.
struct TensorEntry {
  std::string name;                  ///< The first `*` is the layer's number, the next one that of one of a stack of matrices (an expert).
  std::vector<std::string> weights;  ///< Patterns.
  bool transposed = false;           ///< Matrices are stored input by output.
  bool spread = false;               ///< What is one dimension lies over several axes, some of size 1.
  bool joined = false;               ///< Matrices that are stacked lie one below the other.

  std::string prefix() const;  ///< Up to the layer's number; the whole name of one that has none.
};

std::vector<TensorEntry> tensor_entries(const CheckpointNames& names);

/// Tensors of one entry in one segment: as many as it has layers, and experts where these are numbered. All are alike.
struct TensorGroup {
  std::size_t entry = 0;
  SegmentId segment;
  std::vector<std::size_t> weights;  ///< Positions in TensorNames::weights; together they fill one tensor of each layer.
  bool copy = false;                 ///< Of weights that another tensor holds already: tied ones, which checkpoints may leave out.
  std::vector<std::size_t> layers;   ///< Their numbers; one that means nothing where names have none.
  std::size_t matrices = 1;          ///< Further tensors of each layer.
  std::vector<std::uint64_t> shape;  ///< Of each.
  bool fits = true;                  ///< The weights make up one tensor; else only their elements can be compared.
  std::uint64_t elements = 0;        ///< Of each.

  std::string name(const TensorEntry& entry, std::size_t layer, std::size_t matrix) const;
};

struct TensorNames {
  struct Held {
    std::string name;     ///< Of a weight of the graph.
    double elements = 0;  ///< In all layers.
    std::vector<std::size_t> groups;
  };
  std::vector<TensorEntry> entries;
  std::vector<TensorGroup> groups;
  std::vector<Held> weights;
};

/// The run is of the model alone. Empty, with errors: a size has no value.
std::optional<TensorNames> tensor_names(Run& run, const CheckpointNames& names, Diagnostics& diagnostics);

}  // namespace opledger
