#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

/// Where text came from. Every value that is read from a document, and every formula in it, keeps a `Span`, so that any
/// message about it can show the file, the line and the column.
namespace opledger {

/// A document as it was read: its path as the user would name it, and its whole text.
struct SourceFile {
  SourceFile(std::string path, std::string text);
  /// In the text that it was made with: where a line begins, from 1 on; the text's size if it has fewer.
  std::size_t line_start(std::uint32_t line) const;

  std::string path;
  std::string text;
  std::string formulas;  ///< In it that were parsed before, for those who can read them (expr/parsed.h); empty: none.

 private:
  std::vector<std::size_t> line_starts_;
};

/// A position in a source file. Lines and columns count from 1; 0 means "no position in the text".
/// A default-constructed span belongs to no file (a value given on the command line has a SourceFile of its own).
struct Span {
  std::shared_ptr<const SourceFile> file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;

  bool known() const { return file != nullptr; }
};

/// `FILE:LINE:COLUMN`, or `FILE`, or an empty string.
std::string to_string(const Span& span);

/// The line of the file; empty: the place is unknown.
std::string_view line_of(const Span& span);

}  // namespace opledger
