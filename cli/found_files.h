#pragma once
#include <string>
#include <utility>
#include <vector>

#include "find/find_together.h"

/// Files of found parts: an execution, beside its rule documents.
namespace opledger {

/// Returns the files of an answer, as pairs of path and text. `execution` is the execution of the request `given`, and
/// `head` are the first comments of the found one, which goes to `path`. Names of rule documents begin with `prefix`.
std::vector<std::pair<std::string, std::string>> found_files(const FoundTogether& found, const RunRequest& given, const Document& execution,
                                                             const std::string& path, const std::string& prefix, const std::string& head);

}  // namespace opledger
