#include <doctest/doctest.h>
#include <fmt/core.h>

#include <string>

#include "tests/cli/process.h"
#include "tests/paths.h"
#include "tests/schemas/temporary_folder.h"

namespace opledger {

TEST_CASE("every shipped document is good when it is named by its path, parts of others too") {
  for (const char* kind :
       {"accounting", "ops", "play/orders", "models", "rules", "systems", "executions", "search/spaces", "search/plans", "stacks", "measured/measurements"}) {
    CAPTURE(kind);
    const Finished finished = run_shell("find " + std::string(kind) + " -name '*.yaml' | sort | xargs opledger validate", source_folder());
    CHECK(finished.status == 0);
    CHECK(finished.err == "");
  }
}

TEST_CASE("shipped changes are good; a change whose documents are missing is a warning") {
  CHECK(run_shell("opledger validate search/changes/*.yaml", source_folder()).status == 0);
}

TEST_CASE("rows that correct a system are checked with it") {
  TemporaryFolder folder;
  const auto validated = [&](const char* k) {
    folder.write("rows.yaml", std::string("kind: measurements\nname: rows\nextends: products\nrows:\n  - {m: 512, n: 8192, k: ") + k + ", us: 118}\n");
    const std::string made = fmt::format("(cat {}/systems/h100-80g-sxm.yaml; echo 'corrections: [rows]') > h100-80g-sxm.yaml", source_folder());
    return run_shell(made + "; opledger validate h100-80g-sxm.yaml", folder.path());
  };
  CHECK(validated("128").err == "");
  CHECK(validated("much").err.find("rows.yaml:5:26: error: `k`: expected a number") != std::string::npos);
}

}  // namespace opledger
