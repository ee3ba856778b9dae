#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

/// Positions in source text. Every value and formula of a document has a `Span`, so that a message can show file, line
/// and column.
namespace opledger {

/// A document's text with its path as the user names it.
struct SourceFile {
  SourceFile(std::string path, std::string text);
  /// Returns the offset of a line, counted from 1, in the original text; the text's size beyond the last line.
  std::size_t line_start(std::uint32_t line) const;

  std::string path;
  std::string text;
  std::string formulas;  ///< Parsed formulas of the text in serialized form (expr/parsed.h); empty without them.

 private:
  std::vector<std::size_t> line_starts_;
};

/// A position in a source file. Lines and columns count from 1; 0 means no position in the text. A default span belongs
/// to no file; values on the command line have a SourceFile of their own.
struct Span {
  std::shared_ptr<const SourceFile> file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;

  bool known() const { return file != nullptr; }
};

/// Returns `FILE:LINE:COLUMN`, `FILE`, or an empty string.
std::string to_string(const Span& span);

/// Returns the source line; empty if the position is unknown.
std::string_view line_of(const Span& span);

}  // namespace opledger
