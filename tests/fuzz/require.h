#pragma once
#include <cstdio>
#include <cstdlib>
#include <string>

/// Checks and counts of fuzz targets.
namespace opledger::fuzz {

/// Ends the program, with a message, unless the condition holds.
inline void require(bool holds, const char* what, const std::string& which) {
  if (holds) return;
  std::fprintf(stderr, "%s: %s\n", what, which.c_str());
  std::abort();
}

/// Counts the outcome of an input. The counts are printed when the program ends: `ended with numbers: 512`.
void count(const char* outcome);

}  // namespace opledger::fuzz
