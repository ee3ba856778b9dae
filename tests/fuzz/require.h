#pragma once
#include <cstdio>
#include <cstdlib>
#include <string>

/// What a fuzz target says of its inputs.
namespace opledger::fuzz {

/// It holds, or the program ends there.
inline void require(bool holds, const char* what, const std::string& which) {
  if (holds) return;
  std::fprintf(stderr, "%s: %s\n", what, which.c_str());
  std::abort();
}

/// How an input ended. How many did is told when the program ends, `ended with numbers: 512`.
void count(const char* outcome);

}  // namespace opledger::fuzz
