#include <doctest/doctest.h>

#include <string>

#include "tests/paths.h"
#include "tests/schemas/temporary_folder.h"
#include "tests/search/checked_space.h"
#include "tests/search/random_accounting.h"
#include "tests/support/random_count.h"

namespace opledger {

TEST_CASE("a sweep over random accountings finds what evaluating every candidate without others finds, whatever formulas ask of them") {
  const int count = testing::random_count(400, 30);
  std::uint64_t candidates = 0, feasible = 0, refused = 0, structures = 0;
  for (int seed = 0; seed < count; ++seed) {
    CAPTURE(seed);
    const TemporaryFolder folder;
    RandomAccounting random(static_cast<unsigned>(seed));
    const std::string accounting = random.accounting(), text = random.space();
    CAPTURE(accounting);
    CAPTURE(text);
    folder.write("random.yaml", accounting);
    RunRequest request;
    request.space = folder.write("space.yaml", text).string();
    Library library({source_folder()});
    Diagnostics diagnostics;
    std::optional<Space> space = read_space(request, library, diagnostics);
    REQUIRE_MESSAGE(space, render(diagnostics));
    const SweepResult found = check_sweep(*space, {"second"}, OneByOne::Sharing::nothing);
    candidates += found.candidates;
    feasible += found.feasible;
    refused += found.infeasible.size();
    structures += found.structures;
  }
  const auto all = static_cast<std::uint64_t>(count);
  CHECK(candidates > 20 * all);
  CHECK(feasible > all);
  CHECK(refused > all);
  CHECK(structures > all);
}

}  // namespace opledger
