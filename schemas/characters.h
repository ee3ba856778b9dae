#pragma once
#include <memory>
#include <string_view>

#include "base/diagnostics.h"

/// Encoding, lines and columns of a document's text, below the level of YAML.
namespace opledger {

/// Byte order mark, which may precede the first character and is not part of the text.
inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// Reports the first byte that is not UTF-8, or the first control character other than tab and line breaks. Returns
/// false after an error.
bool check_characters(const std::shared_ptr<const SourceFile>& source, Diagnostics& diagnostics);

/// Returns the span of the byte at `offset`.
Span span_at(const std::shared_ptr<const SourceFile>& source, std::size_t offset);

/// Converts columns counted in bytes to columns counted in characters. Costs nothing for ASCII texts.
class Columns {
 public:
  explicit Columns(const std::string& text);
  std::uint32_t characters(std::uint32_t line, std::uint32_t bytes) const;  ///< All numbers count from 0.

 private:
  const std::string& text_;
  std::vector<std::size_t> line_starts_;  ///< Empty if every byte is a character.
};

}  // namespace opledger
