#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "import/checkpoint/checkpoint_names.h"
#include "run/run.h"

/// The names and shapes of the tensors in a checkpoint of a model: weights of the graph, named by the key `tensors`
/// of a mapping. Layers are numbered in execution order; each name prefix (`encoder.block.*`) has a numbering of its
/// own.
namespace opledger {

/// An entry of a mapping's key `tensors`. Conditions on configs are dropped: the checkpoint shows which name of a
/// weight applies.
struct TensorEntry {
  std::string name;                  ///< Name with `*` for the layer's number, and a second `*` for the number of a matrix in a stack (an expert).
  std::vector<std::string> weights;  ///< Patterns of weight names.
  bool transposed = false;           ///< Matrices are stored input by output.
  bool spread = false;               ///< One dimension of a weight may be split over several axes of the tensor, some of them of size 1.
  bool joined = false;               ///< Matrices of a stack are concatenated along the first axis.

  std::string prefix() const;  ///< Returns the name up to the layer's number; the whole name without one.
};

/// Returns the entries of a mapping that list at least one weight.
std::vector<TensorEntry> tensor_entries(const CheckpointNames& names);

/// Tensors of one entry in one segment: one for each layer, and one for each expert if names number experts. All
/// tensors of a group have the same shape.
struct TensorGroup {
  /// Index into TensorNames::entries.
  std::size_t entry = 0;
  SegmentId segment;                 ///< Segment whose layers have the tensors.
  std::vector<std::size_t> weights;  ///< Indices into TensorNames::weights; one tensor of each layer stores these weights.
  bool copy = false;                 ///< The weights are tied and stored by another tensor, too; checkpoints may lack the copy.
  std::vector<std::size_t> layers;   ///< Numbers of the layers; only 0 if names contain no number.
  std::size_t matrices = 1;          ///< Tensors of one layer.
  std::vector<std::uint64_t> shape;  ///< Shape of each tensor; empty without `fits`.
  bool fits = true;                  ///< The weights form one rectangular tensor; otherwise only elements are compared.
  std::uint64_t elements = 0;        ///< Elements of each tensor.

  /// Returns the name of one tensor.
  std::string name(const TensorEntry& entry, std::size_t layer, std::size_t matrix) const;
};

/// All tensors that a checkpoint of the model may have.
struct TensorNames {
  /// A weight and the tensors that may store it.
  struct NamedWeight {
    std::string name;     ///< Name of a weight of the graph.
    double elements = 0;  ///< Elements in all layers.
    /// Indices into TensorNames::groups of the groups that store the weight, without groups of copies; empty if no
    /// entry names the weight.
    std::vector<std::size_t> groups;
  };
  std::vector<TensorEntry> entries;  ///< Entries of the mapping with at least one weight.
  std::vector<TensorGroup> groups;   ///< Groups of tensors, with copies.
  std::vector<NamedWeight> weights;  ///< All weights of the graph.
};

/// Returns the tensors of a model. The run needs no execution and no system. Returns nothing and reports errors if a
/// size has no value or is too large, or if the tensors are too many to compare.
std::optional<TensorNames> tensor_names(Run& run, const CheckpointNames& names, Diagnostics& diagnostics);

}  // namespace opledger
