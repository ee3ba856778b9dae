#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Files as results. Writing is atomic except to pipes and devices: a file is complete, or unchanged.
namespace opledger {

/// Writes `text` to a file: to a temporary file in the folder of `path`, which is then renamed. Names that end in `.gz`
/// are compressed. An existing pipe or device is written directly. Returns an empty text, or the problem: `can't write
/// `a/b.json`: Permission denied`.
std::string write_file(const std::string& path, std::string_view text);

/// Writes files, pairs of path and content, with `write_file`, and creates a missing folder inside an existing parent.
/// The first failure stops the writing. A created folder is then removed; earlier files in an existing folder stay.
std::string write_files(const std::vector<std::pair<std::string, std::string>>& files);

/// Writes `text` to an open file descriptor. Returns an empty text, or the problem: `No space left on device`.
std::string write_all(int descriptor, std::string_view text);

/// Returns true if the descriptor is a pipe whose reader closed its end.
bool reader_has_gone(int descriptor);

/// Returns `text` in gzip format; equal texts give equal bytes. Returns an empty text if zlib fails.
std::string gzip(std::string_view text);

}  // namespace opledger
