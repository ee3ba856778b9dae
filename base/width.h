#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

/// Width of UTF-8 text on a terminal, where a character occupies zero, one or two columns. Accepts any bytes; an
/// invalid byte counts as one column.
namespace opledger {

/// A grapheme cluster: characters that are displayed as one, such as a letter with combining marks.
struct Glyph {
  std::string_view text;    ///< The bytes, a view into the text.
  std::size_t columns = 0;  ///< Columns on a terminal.
};

/// Splits a text into grapheme clusters, which cover all its bytes in order.
std::vector<Glyph> glyphs(std::string_view text);

/// Returns the number of columns: one for `é`, as one character or as `e` with a combining accent, two for `水`.
std::size_t width(std::string_view text);

/// Returns the size in bytes of the longest prefix of whole clusters with at most this many columns.
std::size_t beginning_within(std::string_view text, std::size_t columns);
/// Returns the same for the longest suffix.
std::size_t end_within(std::string_view text, std::size_t columns);

}  // namespace opledger
