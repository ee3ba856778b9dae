#include "tests/rules/figures.h"

#include <doctest/doctest.h>

#include "base/text.h"
#include "graph/verify.h"
#include "tests/paths.h"

using namespace opledger;
using namespace opledger::testing;

/// Expected figures come from an independent derivation; tests/data/sharding/regenerate.py writes them.
TEST_CASE("reference cases: every collective, its bytes, its rule, and the bytes kept for backward") {
  std::vector<Case> cases = read_cases(source_folder() + "/tests/data/sharding/expected.txt");
  CHECK(cases.size() == 53);
  for (const Case& one : cases) {
    CAPTURE(one.name);
    Derived d = derive(one.setting);
    REQUIRE_MESSAGE(d.derived, render(d.diagnostics));
    CHECK(join(verify(d.graph, d.annotations), "\n") == "");
    CHECK(join(figures(d), "\n") == join(one.lines, "\n"));
  }
}
