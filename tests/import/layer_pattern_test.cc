#include "import/layer_pattern.h"

#include <doctest/doctest.h>

#include <string>

namespace opledger {
namespace {

/// Returns the pattern of layers as text: `3a b` for `aaab`, `2(a b)` for `abab`.
std::string pattern(const std::string& layers) {
  std::vector<std::size_t> kinds;
  for (const char layer : layers) kinds.push_back(static_cast<std::size_t>(layer - 'a'));
  std::string out;
  std::size_t total = 0;
  for (const LayerGroup& group : find_pattern(kinds)) {
    std::string runs;
    for (const LayerRun& run : group.runs) {
      runs += runs.empty() ? "" : " ";
      if (run.layers > 1) runs += std::to_string(run.layers);
      runs += static_cast<char>('a' + run.kind);
    }
    out += (out.empty() ? "" : " ") + (group.rounds > 1 ? std::to_string(group.rounds) + "(" + runs + ")" : runs);
    total += group.layers();
  }
  CHECK(total == layers.size());
  return out;
}

}  // namespace

TEST_CASE("layer patterns: runs and rounds") {
  const std::pair<std::string, std::string> cases[] = {
      {"a", "a"},
      {"aaaa", "4a"},
      {"aaab", "3a b"},
      {"abab", "2(a b)"},
      {"ababa", "2(a b) a"},
      {"aababab", "a 3(a b)"},
      {"aaabaaabaaab", "3(3a b)"},
      {"abacabacd", "2(a b a c) d"},
      {"cababababc", "c 4(a b) c"},
      {"ababcdcd", "2(a b) 2(c d)"},
      {"aaabababab", "2a 4(a b)"},
      {"aaaabaabaab", "2a 3(2a b)"},
      {"cabacabacaba", "3(c a b a)"},
  };
  for (const auto& [layers, expected] : cases) CHECK(pattern(layers) == expected);
  CHECK(pattern(std::string(5000, 'a') + std::string(5000, 'b')) == "5000a 5000b");
}

}  // namespace opledger
