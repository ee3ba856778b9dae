#include "tests/fuzz/require.h"

#include <map>

namespace opledger::fuzz {
namespace {

struct Outcomes {
  Outcomes() = default;
  Outcomes(const Outcomes&) = delete;
  Outcomes& operator=(const Outcomes&) = delete;
  ~Outcomes() {
    for (const auto& [outcome, inputs] : all) std::fprintf(stderr, "ended with %s: %zu\n", outcome.c_str(), inputs);
  }
  std::map<std::string, std::size_t> all;
};

}  // namespace

void count(const char* outcome) {
  static Outcomes outcomes;
  ++outcomes.all[outcome];
}

}  // namespace opledger::fuzz
