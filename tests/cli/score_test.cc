#include <doctest/doctest.h>

#include <filesystem>

#include "tests/cli/process.h"
#include "tests/paths.h"
#include "tests/schemas/temporary_folder.h"

/// The script that compares measured runs with computed ones is stored with the runs, outside of this tree. It reads
/// the systems of this tree.
namespace opledger {
namespace {

namespace fs = std::filesystem;

const fs::path kScore = fs::path(source_folder()).parent_path() / "shared" / "reference" / "runs" / "score.py";

}  // namespace

TEST_CASE("the scores of measured runs can be computed as ever") {
  if (!fs::exists(kScore)) {
    MESSAGE("skipped: there are no measured runs; they belong in ../shared/reference/runs");
    return;
  }
  const TemporaryFolder folder;
  const Finished python = run_shell("for p in python3 /usr/bin/python3; do $p -c 'import yaml' 2> /dev/null && echo $p && exit; done; exit 1", ".");
  REQUIRE_MESSAGE(python.status == 0, "no Python has yaml");
  const std::string score =
      python.out.substr(0, python.out.find('\n')) + " " + kScore.string() + " --opledger \"$(command -v opledger)\" --library " + source_folder();
  for (const char* how : {"--stacks", ""}) {
    const Finished finished = run_shell(score + " --only narayanan,torchtitan " + how + " -o scores.csv", folder.path());
    CAPTURE(finished.out);
    CAPTURE(finished.err);
    CHECK(finished.status == 0);
    CHECK(finished.out.find("26 rows, 0 without figures") != std::string::npos);
  }
}

}  // namespace opledger
