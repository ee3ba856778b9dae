#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace opledger {

/// The first character of a text that is not empty; of bytes that are no UTF-8 the first byte.
struct CodePoint {
  std::int32_t code = -1;
  std::size_t bytes = 1;
  bool valid = false;
};

CodePoint code_point(std::string_view text);

/// What writes to a terminal without being seen there: control characters, line breaks, marks that turn the order of what follows.
bool is_control(std::int32_t code);

}  // namespace opledger
