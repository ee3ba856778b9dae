#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace opledger {

/// The first character of a non-empty text. If its bytes are not valid UTF-8, a single byte with `valid` false.
struct CodePoint {
  std::int32_t code = -1;
  std::size_t bytes = 1;
  bool valid = false;
};
/// Decodes the first character of `text`.

CodePoint code_point(std::string_view text);

/// Returns whether a character affects a terminal without being visible: control characters, line breaks, marks that
/// change the direction of text.
bool is_control(std::int32_t code);

}  // namespace opledger
