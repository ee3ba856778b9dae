#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Where results go. All or nothing: a file is there whole or as it was before.
namespace opledger {

/// Writes a file beside `path` and renames it, so that nobody reads half of one. A path that ends in `.gz` is compressed; what is there and is no regular
/// file (a pipe, a device) is written to as it is. Empty, or what went wrong: `can't write `a/b.json`: Permission denied`.
std::string write_file(const std::string& path, std::string_view text);

/// Each of these files, by path and content, as `write_file`; a folder that is not there is made, in one that is. A file that can't be written ends it: a folder that was made for
/// them is gone then, in others those before it stay.
std::string write_files(const std::vector<std::pair<std::string, std::string>>& files);

/// Writes everything to an open file descriptor; empty, or what went wrong: `No space left on device`.
std::string write_all(int descriptor, std::string_view text);

/// Whether nobody reads any more what is written there: of a pipe whose other end was closed.
bool reader_has_gone(int descriptor);

/// In gzip format, equal for equal texts.
std::string gzip(std::string_view text);

}  // namespace opledger
