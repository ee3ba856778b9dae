#pragma once
#include <memory>
#include <string_view>

#include "base/diagnostics.h"

/// Encoding, lines and columns of a document's text, below the level of YAML. `check_characters` runs before parsing;
/// Columns corrects the columns that the parser counts in bytes.
namespace opledger {

/// Byte order mark, which may precede the first character and is not part of the text.
inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// Reports the first byte that is not UTF-8, or the first ASCII control character (0x00 to 0x1f, 0x7f) other than tab
/// and line breaks. U+0080 to U+009F pass. Returns false after an error.
bool check_characters(const std::shared_ptr<const SourceFile>& source, Diagnostics& diagnostics);

/// Returns the line and column of the byte at `offset`, counted from 1; columns count characters. Linear in `offset`.
Span span_at(const std::shared_ptr<const SourceFile>& source, std::size_t offset);

/// Converts columns counted in bytes to columns counted in characters. The text must outlive the object. Stores nothing
/// for an ASCII text, whose columns stay as they are.
class Columns {
 public:
  explicit Columns(const std::string& text);
  /// Returns the number of characters in the first `bytes` bytes of a line; lines count from 0.
  std::uint32_t characters(std::uint32_t line, std::uint32_t bytes) const;

 private:
  const std::string& text_;
  std::vector<std::size_t> line_starts_;  ///< Offset of each line; empty if every byte is a character.
};

}  // namespace opledger
