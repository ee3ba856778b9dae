#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "import/checkpoint/stored_tensor.h"

/// What the files of a checkpoint say of it: .safetensors files by their headers, or an index (`model.safetensors.index.json`) with the files that it names, where
/// these lie beside it. An index alone has names and bytes in all, no shapes.
namespace opledger {

struct CheckpointFile {
  std::string name;         ///< As it was given, or as the index has it.
  bool found = true;        ///< An index may name files that are not there.
  std::uint64_t data = 0;   ///< Bytes of its tensors …
  std::uint64_t there = 0;  ///< … and how many of them it has: none where only headers were loaded.
};

struct Checkpoint {
  struct Tensor {
    StoredTensor stored;
    int file = -1;            ///< That it lies in; -1: in one that is not there, and all that is known is its name.
    std::string listed = {};  ///< The file that the index says; empty: there is none, or it lacks this tensor.
  };

  std::vector<CheckpointFile> files;
  std::map<std::string, Tensor> tensors;
  std::string index;                         ///< Its path; empty: there is none.
  std::optional<std::uint64_t> total_bytes;  ///< `total_size` of the index.
  std::optional<std::uint64_t> total_parameters;

  bool has_shapes() const;  ///< All files are there.
};

/// From files of tensors, an index, a folder that has either, or a pattern of file names (`model-*.safetensors`). Empty, with errors: something can't be read, a
/// tensor is in two files, or there is none.
std::optional<Checkpoint> read_checkpoint(const std::vector<std::string>& paths, Diagnostics& diagnostics);

}  // namespace opledger
