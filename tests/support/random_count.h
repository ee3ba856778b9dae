#pragma once
#include <cstdlib>
#include <iterator>
#include <type_traits>
#include <vector>

/// How many cases a test goes through where all are alike: fewer where assertions and sanitizers, which look for other mistakes than wrong numbers, make each slow.
namespace opledger::testing {

/// Random ones: OPLEDGER_FUZZ_COUNT, if it is set.
inline int random_count([[maybe_unused]] int optimised, [[maybe_unused]] int with_assertions) {
  if (const char* wanted = std::getenv("OPLEDGER_FUZZ_COUNT")) return std::atoi(wanted);
#ifdef NDEBUG
  return optimised;
#else
  return with_assertions;
#endif
}

/// Of cases that are gone through in turn, one of so many.
inline int one_of([[maybe_unused]] int with_assertions) {
#ifdef NDEBUG
  return 1;
#else
  return with_assertions;
#endif
}

/// These cases, where they are a few long ones: one of so many.
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
