#pragma once
#include <filesystem>
#include <optional>
#include <vector>

#include "base/diagnostics.h"
#include "import/checkpoint/stored_tensor.h"

/// The header of a .safetensors file: eight bytes say how long it is, then JSON says of every tensor its type, its shape and where its bytes lie behind the header.
/// Nothing behind the header is read: of that only the size is asked for.
namespace opledger {

struct SafetensorsHeader {
  std::vector<StoredTensor> tensors;
  std::uint64_t data = 0;   ///< Bytes that they take behind the header …
  std::uint64_t there = 0;  ///< … and that the file has there: fewer of one that was not loaded as a whole.
};

/// Empty, with errors: it is no such file, its header is longer than the file or than the format allows (100 MB), is no JSON or no table of tensors, has a name twice,
/// an unknown type, sizes that are no whole numbers or too large, or tensors that overlap, leave holes or take other bytes than their shapes and types say.
std::optional<SafetensorsHeader> read_safetensors(const std::filesystem::path& path, Diagnostics& diagnostics);

}  // namespace opledger
