#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// A tensor as a checkpoint's file describes it. Of its elements nothing is known.
namespace opledger {

struct StoredTensor {
  std::string name;
  std::string type;  ///< `BF16`, as the file calls it.
  std::vector<std::uint64_t> shape;
  std::uint64_t elements = 0;  ///< The product of the shape; 1 of a tensor without dimensions.
  std::uint64_t bytes = 0;
};

/// Bits of one element. Empty: no such type is known.
std::optional<std::uint64_t> bits_of_type(std::string_view type);
std::vector<std::string> element_types();

/// Of types that count: quantised weights are packed in them.
bool is_whole_number_type(std::string_view type);

/// Empty: it is more than 64 bits can say.
std::optional<std::uint64_t> product(const std::vector<std::uint64_t>& shape);

/// `[4096, 1024]`
std::string to_string(const std::vector<std::uint64_t>& shape);

}  // namespace opledger
