#include "base/width.h"

#include <doctest/doctest.h>

#include <string>

namespace opledger {

TEST_CASE("width: columns of a terminal, whatever characters take") {
  const std::pair<std::string, std::size_t> cases[] = {
      {"", 0},
      {"abc", 3},
      {"a\u00b7b\u2026", 4},
      {"\u251c \u2502", 3},
      {"e\u0301", 1},                     // a combining mark
      {"\u6c34\u304b", 4},                // wide
      {"\uff76", 1},                      // half-width
      {"\U0001f680", 2},                  // emoji
      {"\U0001f469\u200d\U0001f680", 2},  // two characters displayed as one
      {"\u2764\ufe0f", 2},                // emoji presentation
      {"\U0001f1e9\U0001f1ea", 2},        // a flag
      {"\xff\xfe", 2},                    // invalid UTF-8
      {"a\xe6\xb0", 3},                   // truncated sequence
      {"\u0301", 0},                      // combining mark without a base
  };
  for (const auto& [text, columns] : cases) {
    CAPTURE(text);
    CHECK(width(text) == columns);
  }
}

TEST_CASE("width: text is cut between characters") {
  const std::string text = "a\u6c34e\u0301\U0001f680z";
  CHECK(width(text) == 7);
  CHECK(beginning_within(text, 2) == 1);
  CHECK(beginning_within(text, 3) == 4);
  CHECK(beginning_within(text, 4) == 7);
  CHECK(end_within(text, 1) == 1);
  CHECK(end_within(text, 2) == 1);
  CHECK(end_within(text, 3) == 5);
  CHECK(beginning_within(text, 100) == text.size());
  CHECK(end_within("\xff\xff", 1) == 1);
}

}  // namespace opledger
