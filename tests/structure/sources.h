#pragma once
#include <string>
#include <string_view>
#include <vector>

/// The C++ files of the tree as text, for tests about how they are written. They include nothing of the program, so that they hold while it doesn't build.
namespace opledger::structure {

struct File {
  std::string path;  ///< Path from the root: `base/units.h`.
  std::string text;
};

/// Folders of the program in the order of dependence.
const std::vector<std::string>& folders();

/// The first part of a path: `base` of `base/units.h`.
std::string folder_of(const std::string& path);

/// Every .h and .cc of those folders, sorted by path.
const std::vector<File>& cxx_files();

/// Kind of a part of a line. `quote`: between backticks in a comment, an example from a document.
enum class Kind { code, literal, comment, quote };

struct Piece {
  Kind kind = Kind::code;
  int line = 1;
  std::string text;  ///< Text without delimiters; it ends at the end of its line.
};

/// Splits C++ into pieces; sufficient for formatted code, raw strings included.
std::vector<Piece> pieces(std::string_view text);

/// Returns whether a path matches one of several shell patterns.
bool matches(const std::string& path, const std::vector<std::string>& patterns);

}  // namespace opledger::structure
