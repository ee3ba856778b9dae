#pragma once
#include <cstddef>
#include <optional>
#include <string_view>

#include "base/source.h"

/// Positions of a formula's characters in its document. A document may fold a formula over several lines or quote it,
/// so offsets alone do not give lines and columns. The locator therefore matches the formula with the document's text,
/// ignoring blanks in both.
namespace opledger {

/// A forward scan over a formula and its document, linear in their length over all calls. Without a matching document,
/// each call is linear in the offset.
class Locator {
 public:
  Locator(std::string_view text, const Span& span);

  /// Returns the position of the character at `offset`. Offsets must not decrease from call to call. If the document's
  /// text differs before `offset`, returns the start of the formula; if it differs in the first character, columns are
  /// offsets (see `document_`).
  Span at(std::size_t offset);
  /// Returns the position after the last character before `offset` that is not blank.
  Span after(std::size_t offset);

 private:
  void open_document();                      ///< Finds the formula's first character in the document.
  void follow(std::size_t offset);           ///< Advances the scan to an offset of the formula.
  void skip_blanks();                        ///< Advances the document past blanks, with line and column.
  Span here() const;                         ///< Returns the position of the scan; the formula's start after a mismatch.
  Span verbatim(std::size_t offset) const;   ///< Returns a position by addition, for an unchanged formula on one line.
  Span by_offset(std::size_t offset) const;  ///< Returns a position without a document.

  std::string_view text_, document_;       ///< The formula and the document. An empty document means that columns are offsets in the formula's first line.
  Span start_;                             ///< Position of the formula as given.
  std::size_t offset_ = 0, position_ = 0;  ///< Bytes scanned in the formula; byte position in the document.
  std::uint32_t line_ = 0, column_ = 0;    ///< Line and column of `position_`.
  bool lost_ = false;                      ///< The document's text did not match.
  /// Offset of the first character if the document has the formula unchanged on one line. Columns then follow by
  /// addition, from `line_` and `column_`.
  std::optional<std::size_t> verbatim_from_;
};

}  // namespace opledger
