#include <doctest/doctest.h>

#include <string>

#include "tests/search/checked_space.h"
#include "tests/search/random_accounting.h"
#include "tests/search/written_space.h"
#include "tests/support/random_count.h"

namespace opledger {

TEST_CASE("a sweep over random accountings agrees with single evaluations of every candidate") {
  const int count = testing::random_count(420, 30);
  std::uint64_t candidates = 0, feasible = 0, refused = 0, structures = 0;
  for (int seed = 0; seed < count; ++seed) {
    CAPTURE(seed);
    RandomAccounting random(static_cast<unsigned>(seed));
    const std::string accounting = random.accounting(), text = random.space();
    CAPTURE(accounting);
    CAPTURE(text);
    WrittenSpace written(text, {"random.yaml", accounting});
    const SweepResult found = check_sweep(*written.space, {"second"}, OneByOne::Sharing::nothing);
    candidates += found.candidates;
    feasible += found.feasible;
    refused += found.infeasible.size();
    structures += found.traces;
  }
  const auto all = static_cast<std::uint64_t>(count);
  CHECK(candidates > 20 * all);
  CHECK(feasible > all);
  CHECK(refused > all);
  CHECK(structures > all);
}

}  // namespace opledger
