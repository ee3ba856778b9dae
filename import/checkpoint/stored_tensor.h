#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// A tensor as a checkpoint file describes it: name, type, shape and bytes. Its values are never read.
namespace opledger {

/// A tensor in a file, without its values.
struct StoredTensor {
  std::string name;                  ///< Name in the checkpoint.
  std::string type;                  ///< Name of the type in the file, such as `BF16`.
  std::vector<std::uint64_t> shape;  ///< Sizes of the axes, outermost first.
  std::uint64_t elements = 0;        ///< Product of the shape; 1 without dimensions.
  /// Bytes of the tensor in the file.
  std::uint64_t bytes = 0;
};

/// Returns the bits of one element; nothing for an unknown type.
std::optional<std::uint64_t> bits_of_type(std::string_view type);
/// Returns the names of all known types.
std::vector<std::string> element_types();

/// Returns whether a type is an integer or `BOOL`; false for an unknown type. Quantized weights are packed into
/// integers.
bool is_whole_number_type(std::string_view type);

/// Returns the product of a shape; nothing if it exceeds 64 bits.
std::optional<std::uint64_t> product(const std::vector<std::uint64_t>& shape);

/// Returns a shape as text: `[4096, 1024]`.
std::string to_string(const std::vector<std::uint64_t>& shape);

}  // namespace opledger
