#pragma once
#include <string>
#include <vector>

#include "schemas/library.h"

namespace opledger {

/// A possible value of the last word on a command line, with its description.
struct Completion {
  std::string word, doc;
};

/// Returns completions for the last of the words after `opledger`, which may be incomplete or empty. Sets `files` if
/// names of files are possible as well, so that the shell completes them.
std::vector<Completion> completions(const std::vector<std::string>& words, Library& library, bool& files);

}  // namespace opledger
