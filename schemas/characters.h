#pragma once
#include <memory>
#include <string_view>

#include "base/diagnostics.h"

/// The text of a document below the level of YAML: its encoding, and lines and columns.
namespace opledger {

/// May stand before the first character of a text, which it is no part of.
inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// One error if the text is no UTF-8, or holds control characters other than tab and line breaks.
bool check_characters(const std::shared_ptr<const SourceFile>& source, Diagnostics& diagnostics);

/// The span of the byte at `offset`.
Span span_at(const std::shared_ptr<const SourceFile>& source, std::size_t offset);

/// Turns columns that count bytes into columns that count characters. Costs nothing for a text that is all ASCII.
class Columns {
 public:
  explicit Columns(const std::string& text);
  std::uint32_t characters(std::uint32_t line, std::uint32_t bytes) const;  ///< All count from 0.

 private:
  const std::string& text_;
  std::vector<std::size_t> line_starts_;  ///< Empty if every byte is a character.
};

}  // namespace opledger
