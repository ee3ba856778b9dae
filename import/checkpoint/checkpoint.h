#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "import/checkpoint/stored_tensor.h"

/// The content of a checkpoint as its files describe it. Sources are headers of .safetensors files, or an index
/// (`model.safetensors.index.json`) with the shards in the same folder. An index without shards gives names and total
/// bytes, no shapes.
namespace opledger {

/// A file of a checkpoint.
struct CheckpointFile {
  std::string name;                 ///< Path of the file; for a file of an index, the name that the index lists.
  bool found = true;                ///< False if an index lists the file and the file is missing or no `.safetensors` file.
  std::uint64_t data_bytes = 0;     ///< Bytes of tensor data that the header declares.
  std::uint64_t present_bytes = 0;  ///< Bytes of tensor data in the file; 0 if only the header was downloaded.
};

/// The tensors of a checkpoint, from the headers of its files and from its index.
struct Checkpoint {
  /// A tensor and the file that stores it.
  struct Tensor {
    StoredTensor stored;      ///< Name, type, shape and bytes; only the name if `file` is -1.
    int file = -1;            ///< Index into `files`; -1 if the file that the index lists is missing or lacks the tensor.
    std::string listed = {};  ///< File name in the index; empty without an index, or if the index lacks the tensor.
  };

  std::vector<CheckpointFile> files;         ///< Files in the order of reading; missing files of an index are included.
  std::map<std::string, Tensor> tensors;     ///< Tensors by name.
  std::string index;                         ///< Path of the index; empty without one.
  std::optional<std::uint64_t> total_bytes;  ///< Value of `total_size` in the index, bytes.
  /// Value of `total_parameters` in the index.
  std::optional<std::uint64_t> total_parameters;

  bool has_shapes() const;  ///< Returns whether every file of the checkpoint was found.
};

/// Reads tensor files, an index, a folder with either, or a pattern of file names (`model-*.safetensors`). Returns
/// nothing and reports errors for a path of another kind, a file that can't be read, several indices, or a tensor in
/// two files. A checkpoint without tensors is an error, too.
std::optional<Checkpoint> read_checkpoint(const std::vector<std::string>& paths, Diagnostics& diagnostics);

}  // namespace opledger
