#pragma once
#include <cstdlib>
#include <iterator>
#include <type_traits>
#include <vector>

/// Numbers of equivalent cases in a test. Builds with assertions and sanitizers are slow and look for mistakes other
/// than wrong numbers, so they run fewer cases.
namespace opledger::testing {

/// Returns the number of random cases: OPLEDGER_FUZZ_COUNT if it is set.
inline int random_count([[maybe_unused]] int optimized, [[maybe_unused]] int with_assertions) {
  if (const char* requested = std::getenv("OPLEDGER_FUZZ_COUNT")) return std::atoi(requested);
#ifdef NDEBUG
  return optimized;
#else
  return with_assertions;
#endif
}

/// Returns n if a test of enumerated cases runs every n-th of them.
inline int one_of([[maybe_unused]] int with_assertions) {
#ifdef NDEBUG
  return 1;
#else
  return with_assertions;
#endif
}

/// Returns every n-th of a few long cases.
template <class Cases>
auto some_of(const Cases& cases, int with_assertions) {
  std::vector<std::remove_cvref_t<decltype(*std::begin(cases))>> out;
  int position = 0;
  for (const auto& c : cases) {
    if (position++ % one_of(with_assertions) == 0) out.push_back(c);
  }
  return out;
}

}  // namespace opledger::testing
