#pragma once
#include <filesystem>
#include <optional>
#include <vector>

#include "base/diagnostics.h"
#include "import/checkpoint/stored_tensor.h"
#include "schemas/input_file.h"

/// Reader of .safetensors headers. Eight bytes give the length of the header (little endian). The JSON header states
/// type, shape and byte range of each tensor. The tensor data is never read; only its size in the file is measured.
namespace opledger {

/// The tensors of one file and the size of their data.
struct SafetensorsHeader {
  std::vector<StoredTensor> tensors;  ///< Tensors in the order of the header.
  std::uint64_t data_bytes = 0;       ///< Bytes of tensor data that the header declares.
  std::uint64_t present_bytes = 0;    ///< Bytes of tensor data in the file; fewer if the file is incomplete.
};

/// Reads the header of a file that the user or an index (`by`) names. Returns nothing and reports one error if the file is missing or no regular file. A
/// header longer than the file or than 100 MB is an error, and so is invalid JSON. Repeated names, unknown types,
/// sizes beyond 64 bits, overlaps, gaps, and byte ranges that contradict shape and type are errors, too.
std::optional<SafetensorsHeader> read_safetensors(const std::filesystem::path& path, Diagnostics& diagnostics, NamedBy by = NamedBy::user);

}  // namespace opledger
