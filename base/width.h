#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

/// How much room text takes on a terminal, whose columns all characters have one, two or none of. Any bytes will do: what is no UTF-8 takes a column a byte.
namespace opledger {

/// What is seen as one character: with its combining marks, or several that are drawn as one.
struct Glyph {
  std::string_view text;
  std::size_t columns = 0;
};

std::vector<Glyph> glyphs(std::string_view text);

/// Columns that it takes: of `é` one, however it is written; of `水` two.
std::size_t width(std::string_view text);

/// The bytes of its longest beginning, and of its longest end, that take at most so many columns.
std::size_t beginning_within(std::string_view text, std::size_t columns);
std::size_t end_within(std::string_view text, std::size_t columns);

}  // namespace opledger
