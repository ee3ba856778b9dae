#pragma once
#include <cstddef>
#include <optional>
#include <string_view>

#include "base/source.h"

/// Positions of a formula's characters in its document. A document may fold a formula over several lines or quote it,
/// so offsets alone do not give lines and columns. The locator therefore matches the formula with the document's text,
/// ignoring blanks in both.
namespace opledger {

/// A forward scan over a formula and its document, linear in their length over all calls.
class Locator {
 public:
  Locator(std::string_view text, const Span& span);

  /// Returns the position of the character at `offset`. Offsets must not decrease from call to call. Returns the start
  /// of the formula if the document's text does not match.
  Span at(std::size_t offset);
  /// Returns the position after the last character before `offset` that is not blank.
  Span after(std::size_t offset);

 private:
  void open_document();
  void follow(std::size_t offset);
  void skip_blanks();
  Span here() const;
  Span verbatim(std::size_t offset) const;
  Span by_offset(std::size_t offset) const;

  std::string_view text_, document_;  ///< The formula and the document. An empty document means that columns are offsets in the formula's first line.
  Span start_;
  std::size_t offset_ = 0, position_ = 0;
  std::uint32_t line_ = 0, column_ = 0;
  bool lost_ = false;
  /// Offset of the first character if the document has the formula unchanged on one line. Columns then follow by
  /// addition, from `line_` and `column_`.
  std::optional<std::size_t> verbatim_from_;
};

}  // namespace opledger
