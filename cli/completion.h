#pragma once
#include <string>
#include <vector>

#include "schemas/library.h"

namespace opledger {

/// What may stand in the place of the last word of a command line.
struct Completion {
  std::string word, doc;
};

/// By the words behind `opledger`; the last may be begun, or empty. `files`: names of files, which the shell knows.
std::vector<Completion> completions(const std::vector<std::string>& words, Library& library, bool& files);

}  // namespace opledger
