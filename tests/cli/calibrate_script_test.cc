#include <doctest/doctest.h>

#include <filesystem>

#include "tests/cli/process.h"
#include "tests/paths.h"
#include "tests/schemas/temporary_folder.h"

namespace opledger {

TEST_CASE("`make calibrate` fits every machine and stack with measured times, here those of the tests, and writes good documents") {
  TemporaryFolder folder;
  const Finished finished = run_shell("scripts/calibrate.sh opledger none '" + folder.path().string() + "'", source_folder());
  CHECK_MESSAGE(finished.status == 0, finished.err);
  for (const char* machine : {"h100-80g-sxm", "h200-141g-sxm"}) {
    CHECK(finished.out.find(std::string("== ") + machine) != std::string::npos);
    CHECK(run_shell("opledger validate '" + (folder.path() / machine).string() + ".yaml'", source_folder()).status == 0);
  }
  for (const char* stack : {"nemo", "llm-foundry", "torchtitan", "nanotron", "megatron-deepspeed"}) {
    CHECK(finished.out.find(std::string("== ") + stack + "\n") != std::string::npos);
    CHECK(run_shell("opledger validate '" + (folder.path() / stack).string() + ".yaml'", source_folder()).status == 0);
  }
  CHECK(finished.out.find("nothing written") == std::string::npos);
}

}  // namespace opledger
