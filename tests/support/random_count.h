#pragma once
#include <cstdlib>

/// How many random cases a test goes through: OPLEDGER_FUZZ_COUNT, if it is set; fewer where assertions make each one slow.
namespace opledger::testing {

inline int random_count([[maybe_unused]] int optimised, [[maybe_unused]] int with_assertions) {
  if (const char* wanted = std::getenv("OPLEDGER_FUZZ_COUNT")) return std::atoi(wanted);
#ifdef NDEBUG
  return optimised;
#else
  return with_assertions;
#endif
}

}  // namespace opledger::testing
