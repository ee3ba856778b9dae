#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

/// Positions in source text. Every value and formula of a document has a `Span`, so that a message can show file, line
/// and column.
namespace opledger {

/// A document's text with its path as the user names it. `origin` decides which files the text may name
/// (schemas/named_file.h).
struct SourceFile {
  SourceFile(std::string path, std::string text);
  /// Returns the offset of a line, counted from 1, in the original text; the text's size beyond the last line.
  std::size_t line_start(std::uint32_t line) const;

  std::string path;      ///< Path as the user names it.
  std::string text;      ///< All bytes of the file.
  std::string origin;    ///< Path of the file that contains the text; empty for the user's own words, such as those of the command line.
  std::string formulas;  ///< Parsed formulas of the text in serialized form (expr/parsed.h); empty without them.

 private:
  std::vector<std::size_t> line_starts_;  ///< Offset of each line.
};

/// A position in a source file. Lines and columns count from 1; 0 means no position in the text. A default span belongs
/// to no file; values on the command line have a SourceFile of their own.
struct Span {
  std::shared_ptr<const SourceFile> file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;

  /// Returns whether the position belongs to a file.
  bool known() const { return file != nullptr; }
};

/// Returns the file that contains a position; empty for the user's own words and for an unknown position.
std::string origin_of(const Span& span);

/// Returns `FILE:LINE:COLUMN`; `FILE` without a line; an empty text without a file.
std::string to_string(const Span& span);

/// Returns the source line of a position without its line end, as a view into the file; empty if the position is
/// unknown.
std::string_view line_of(const Span& span);

}  // namespace opledger
