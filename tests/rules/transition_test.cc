#include "rules/transition.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

#include "tests/support/ids.h"

using namespace opledger;

namespace {

/// Four axes a b c d of the grid, b and c in one communicator; dimensions 0 to 2, of which 2 has no order.
Grid grid() { return {axes({0, 1, 2, 3}), {0, 1, 2, 3}, {0, 1, 1, 3}, {false, false, true}}; }

/// Parses `0/ab 1/c !d`: dimension 0 over a and b, 1 over c, partial over d.
Placement placement(const std::string& text) {
  Placement result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    AxisList axes;
    char first = text[i];
    for (i += first == '!' ? 1 : 2; i < text.size() && text[i] != ' '; ++i) axes.emplace_back(text[i] - 'a');
    if (first == '!') {
      result.partial = axes;
    } else {
      result.set(first == 'e' ? kElements : DimId(first - '0'), axes);
    }
  }
  return result;
}

std::string steps(const std::string& from, const std::string& to) {
  std::string text;
  for (const Step& step : transition(grid(), placement(from), placement(to))) {
    std::string axes;
    for (AxisId a : step.axes) axes += static_cast<char>('a' + a.number());
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", to_string(step.kind), axes);
  }
  return text;
}

}  // namespace

TEST_CASE("the table of transitions") {
  const struct {
    const char *from, *to, *expected;
  } cases[] = {
      {"", "", ""},
      {"0/a", "0/a", ""},
      {"", "0/a", "slice a"},
      {"!a", "0/a", "reduce-scatter a"},
      {"0/a", "1/a", "all-to-all a"},
      {"!a", "", "all-reduce a"},
      {"0/a", "", "all-gather a"},
      {"!bc", "", "all-reduce bc"},  // one communicator
      {"!ab", "", "all-reduce a, all-reduce b"},
      {"0/abc", "", "all-gather bc, all-gather a"},  // innermost first
      {"", "0/abc", "slice abc"},
      {"!abc", "0/abc", "reduce-scatter a, reduce-scatter bc"},    // outermost first
      {"0/ab", "1/ab", "all-to-all ab"},                           // all axes of one pair at once
      {"0/a !bc", "1/a 2/bc", "reduce-scatter bc, all-to-all a"},  // shrink first
      {"0/a !d", "1/b", "slice b, all-reduce d, all-gather a"},    // grow last
      {"0/ab", "0/ba", "all-gather b, all-gather a, slice ab"},    // another order: gather down to the common prefix
      {"0/ab", "0/ac", "all-gather b, slice c"},
      {"2/ab", "2/b", "all-gather a"},  // any order will do
      {"e/ab", "e/b", "all-gather a"},
  };
  for (const auto& one : cases) {
    CAPTURE(one.from);
    CAPTURE(one.to);
    CHECK(steps(one.from, one.to) == std::string(one.expected));
  }
}

TEST_CASE("messages are counted before a tensor shrinks and after it grows") {
  auto message = [](const char* from, const char* to) { return transition(grid(), placement(from), placement(to)).front().message(); };
  CHECK(message("0/a !b", "0/a") == placement("0/a"));
  CHECK(message("!a", "0/a") == placement(""));
  CHECK(message("0/a", "1/a") == placement("0/a"));
  CHECK(message("0/ab", "0/a") == placement("0/a"));
}

TEST_CASE("the best copy to start from") {
  auto best = [](std::vector<Placement> have, const char* target) { return best_source(grid(), have, placement(target)); };
  CHECK(best({placement("!a"), placement("0/b"), placement("1/a")}, "0/b 1/a") == placement("0/b"));  // slicing gives it
  CHECK(best({placement("!a"), placement("0/b")}, "1/c") == placement("0/b"));                        // settled
  CHECK(best({placement("!a")}, "1/c") == placement("!a"));
}
