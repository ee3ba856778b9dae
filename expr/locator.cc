#include "expr/locator.h"

#include "expr/lexer.h"

namespace opledger {
namespace {

/// Returns the byte offset of a position in its document. Columns count characters; bytes of the form 10xxxxxx continue a
/// UTF-8 character. A byte order mark has no column.
std::size_t position_of(const Span& span) {
  const std::string& document = span.file->text;
  std::size_t position = span.file->line_start(span.line);
  if (span.line == 1 && document.compare(0, 3, "\xEF\xBB\xBF") == 0) position = 3;
  for (std::uint32_t column = 1; column < span.column && position < document.size(); ++column) {
    ++position;
    while (position < document.size() && (static_cast<unsigned char>(document[position]) & 0xC0) == 0x80) ++position;
  }
  return position;
}

}  // namespace

Locator::Locator(std::string_view text, const Span& span) : text_(text), start_(span) {
  if (span.known() && span.line > 0 && span.column > 0) open_document();
}

void Locator::open_document() {
  // Finds the first character of the formula in its YAML document, from the position of the scalar. An opening quote is
  // passed, or the line of a block indicator (`>` or `|`); then blanks. A single quote may also belong to the formula. If
  // the first characters differ, `document_` becomes empty, and positions are offsets from the start. If the document has
  // the formula unchanged on one line (`verbatim_from_`), columns follow by addition and no scan is needed.
  const std::size_t first = text_.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return;
  position_ = position_of(start_);
  if (position_ >= start_.file->text.size()) return;
  document_ = start_.file->text;
  line_ = start_.line;
  column_ = start_.column;
  const char opening = document_[position_];
  if (opening == '"' || (opening == '\'' && text_[first] != '\'')) {
    ++position_, ++column_;
  } else if (opening == '>' || opening == '|') {  // The text of a block scalar begins on the next line.
    while (position_ < document_.size() && document_[position_] != '\n') ++position_, ++column_;
  }
  skip_blanks();
  const std::string_view formula = text_.substr(first);
  if (position_ >= document_.size() || document_[position_] != text_[first]) document_ = {};
  if (!document_.empty() && document_.substr(position_, formula.size()) == formula && formula.find('\n') == std::string_view::npos) verbatim_from_ = first;
}

void Locator::skip_blanks() {
  for (; position_ < document_.size() && is_blank(document_[position_]); ++position_) {
    const bool newline = document_[position_] == '\n';
    line_ += newline ? 1 : 0;
    column_ = newline ? 1 : column_ + 1;
  }
}

void Locator::follow(std::size_t offset) {
  // Advances through formula and document in step, skipping blanks in both. A mismatch, such as an escape in a quoted
  // text, ends the scan; later positions are the formula's start.
  for (; offset_ < offset && !lost_; ++offset_) {
    if (is_blank(text_[offset_])) continue;
    skip_blanks();
    lost_ = position_ >= document_.size() || document_[position_] != text_[offset_];
    ++position_, ++column_;
  }
}

Span Locator::at(std::size_t offset) {
  if (document_.empty()) return by_offset(offset);
  const bool on_blank = offset < text_.size() && is_blank(text_[offset]);
  if (verbatim_from_) return on_blank ? after(offset) : verbatim(offset);
  follow(offset);
  if (!lost_ && !on_blank) skip_blanks();
  return here();
}

Span Locator::after(std::size_t offset) {
  while (offset > 0 && is_blank(text_[offset - 1])) --offset;
  if (document_.empty()) return by_offset(offset);
  if (verbatim_from_) return verbatim(offset);
  if (offset_ <= offset) follow(offset);
  return here();
}

Span Locator::verbatim(std::size_t offset) const { return {start_.file, line_, column_ + static_cast<std::uint32_t>(offset - *verbatim_from_)}; }

Span Locator::here() const { return lost_ ? start_ : Span{start_.file, line_, column_}; }

Span Locator::by_offset(std::size_t offset) const {
  const bool first_line = text_.substr(0, offset).find('\n') == std::string_view::npos;
  if (start_.column == 0 || !first_line) return start_;
  return {start_.file, start_.line, start_.column + static_cast<std::uint32_t>(offset)};
}

}  // namespace opledger
