#include <doctest/doctest.h>

#include <string>

#include "tests/cli/process.h"
#include "tests/paths.h"

namespace opledger {

TEST_CASE("every shipped document is good when it is named by its path, parts of others too") {
  for (const char* kind : {"accounting", "ops", "models", "rules", "systems", "executions", "searches"}) {
    CAPTURE(kind);
    const Finished finished = run_shell("find " + std::string(kind) + " -name '*.yaml' | sort | xargs opledger validate", source_folder());
    CHECK(finished.status == 0);
    CHECK(finished.err == "");
  }
}

}  // namespace opledger
