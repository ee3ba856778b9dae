#pragma once
#include <cstddef>
#include <optional>
#include <string_view>

#include "base/source.h"

/// Where in its document each character of a formula stands. A document may fold a formula over several lines or put it in quotes, so offsets alone do
/// not give lines and columns: the formula is followed through the document, blanks aside.
namespace opledger {

class Locator {
 public:
  Locator(std::string_view text, const Span& span);

  /// The place of the character at `offset`. Offsets must not fall from call to call. What cannot be followed is where the formula begins.
  Span at(std::size_t offset);
  /// The place just behind the last character before `offset` that is no blank.
  Span behind(std::size_t offset);

 private:
  void open_document();
  void follow(std::size_t offset);
  void skip_blanks();
  Span here() const;
  Span verbatim(std::size_t offset) const;
  Span by_offset(std::size_t offset) const;

  std::string_view text_, document_;  ///< Empty document: columns are the formula's offsets, on its first line.
  Span start_;
  std::size_t offset_ = 0, position_ = 0;
  std::uint32_t line_ = 0, column_ = 0;
  bool lost_ = false;
  std::optional<std::size_t> verbatim_from_;  ///< The first character of a formula that stands in the document as it is, on one line, at `line_` and `column_`.
};

}  // namespace opledger
