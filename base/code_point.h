#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

/// Characters of UTF-8 texts.
namespace opledger {

/// A decoded character.
struct CodePoint {
  std::int32_t code = -1;  ///< Number in Unicode; -1 if the bytes are not valid.
  std::size_t bytes = 1;   ///< Bytes in UTF-8; 1 if the bytes are not valid.
  bool valid = false;      ///< The bytes are valid UTF-8.
};

/// Decodes the first character of `text`. A text that begins with invalid UTF-8, and an empty text, give an invalid
/// character of one byte.
CodePoint code_point(std::string_view text);

/// Returns whether a character affects a terminal without being visible: control characters, line breaks, marks that
/// change the direction of text.
bool is_control(std::int32_t code);

}  // namespace opledger
