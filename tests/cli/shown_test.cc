#include "tests/cli/shown.h"

#include <doctest/doctest.h>

#include "base/text.h"

namespace opledger {

TEST_CASE("what is shown agrees with what is printed, but for what it leaves out") {
  struct Case {
    Lines shown, printed;
    bool agree;
  };
  const Case cases[] = {
      {{"a", "b"}, {"a", "b"}, true},
      {{"a"}, {"a", "b"}, false},
      {{"a", "b"}, {"a"}, false},
      {{"a", "…"}, {"a", "b", "c"}, true},
      {{"a", "…"}, {"a"}, true},
      {{"…", "b", "  …", "d"}, {"a", "b", "c", "d"}, true},
      {{"…", "b", "…", "d"}, {"a", "b", "c"}, false},
      {{"a … c"}, {"a b b c"}, true},
      {{"a … c"}, {"a b d"}, false},
  };
  for (const Case& c : cases) {
    CAPTURE(join(c.shown, "|"));
    CAPTURE(join(c.printed, "|"));
    CHECK(shows(c.shown, c.printed) == c.agree);
  }
}

TEST_CASE("what is shown is renewed, and still leaves out what it left out") {
  struct Case {
    Lines shown, printed, expected;
  };
  const Case cases[] = {
      {{"time  1 s", "cost  2"}, {"time  3 s", "cost  4"}, {"time  3 s", "cost  4"}},
      {{"…", "time  1 s", "…"}, {"head", "time  2 s", "tail"}, {"…", "time  2 s", "…"}},
      {{"a", "…", "z  1"}, {"a", "b", "c", "z  2"}, {"a", "…", "z  2"}},
      {{"a", "b"}, {"a", "new", "b"}, {"a", "new", "b"}},
      {{"a", "gone", "b"}, {"a", "b"}, {"a", "b"}},
      {{"…", "kept"}, {"a", "kept", "b", "c"}, {"…", "kept", "b", "c"}},
      {{"a … c", "x  1"}, {"a b c", "x  2"}, {"a … c", "x  2"}},
  };
  for (const Case& c : cases) CHECK(join(renewed(c.shown, c.printed), "|") == join(c.expected, "|"));
}

}  // namespace opledger
