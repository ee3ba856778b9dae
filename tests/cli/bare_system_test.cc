#include <doctest/doctest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tests/cli/process.h"
#include "tests/paths.h"
#include "tests/schemas/temporary_folder.h"

/// Systems without /proc and /dev/pts, such as a bare chroot: the program works, and tests say what they miss.
namespace opledger {
namespace {

namespace fs = std::filesystem;

/// Runs a command with folders of the system replaced by empty ones. Returns nothing, with a message that skips the
/// test, if the user may not mount.
std::optional<Finished> run_without(const std::string& folders, const std::string& command, const fs::path& folder) {
  const std::string hide = "unshare -m sh -c 'for f in " + folders + "; do ! [ -d $f ] || mount -t tmpfs none $f || exit; done; ";
  if (run_shell(hide + "true'", folder).status == 0) return run_shell(hide + command + "'", folder);
  MESSAGE("skipped: /proc can't be hidden; run the test as root with the right to mount");
  return std::nullopt;
}

}  // namespace

TEST_CASE("an installed program finds its documents without /proc, whether a path or PATH leads to it") {
  const TemporaryFolder installed;
  fs::create_directories(installed.path() / "bin");
  fs::create_directories(installed.path() / "elsewhere");
  fs::copy(program_path(), installed.path() / "bin/opledger");
  fs::create_symlink("../bin/opledger", installed.path() / "elsewhere/linked");
  installed.write("share/opledger/systems/own-machine.yaml", "kind: system\nname: own-machine\n");
  const std::string here = installed.path().string();
  const std::vector<std::string> starts = {"bin/opledger", "PATH=" + here + "/bin:$PATH opledger", "elsewhere/linked", "cd elsewhere && ../bin/opledger"};
  for (const std::string& start : starts) {
    CAPTURE(start);
    const std::optional<Finished> finished = run_without("/proc", start + " list system --format csv", installed.path());
    if (!finished) return;
    CHECK(finished->status == 0);
    CHECK(finished->out.find("own-machine") != std::string::npos);
    CHECK(finished->out.find("a100-80g-sxm") == std::string::npos);
  }
}

TEST_CASE("tests that need /dev/pts or /proc are skipped without them, with the reason and the cure") {
  const fs::path tests = fs::path(program_path()).parent_path() / "test_cli";
  const std::string command = tests.string() + " --source-file=\"*/colors_test.cc,*/terminal_test.cc\" --test-case-exclude=\"colours*\"";
  const std::optional<Finished> finished = run_without("/proc /dev/pts", command, source_folder());
  if (!finished) return;
  CHECK_MESSAGE(finished->status == 0, finished->out);
  CHECK(finished->out.find("skipped: there is no pseudo-terminal; `mount -t devpts devpts /dev/pts` provides them\n") != std::string::npos);
  CHECK(finished->out.find("messages of skipped test cases: ") != std::string::npos);
}

TEST_CASE("`make test` prints the reason and the cure of each skipped test") {
  const TemporaryFolder folder;
  const std::string line(58, '-');
  folder.write("log", "1/3 Testing: cli.colors\nOutput:\n" + line +
                          "\ncolors_test.cc:43: MESSAGE: skipped: no terminal; mount it\nx.cc:9: MESSAGE: skipped: no terminal; mount it\n" +
                          "<end of output>\n" + line +
                          "\nTest Pass Reason:\nSkip regular expression found in output. Regex=[skipped: ]\n2/3 Testing: base.text\nOutput:\nskipped: a "
                          "part\nTest Passed.\n3/3 Testing: lint.manual\n" +
                          "Output:\nnothing\nSkip regular expression found in output. Regex=[skipped: ]\n");
  CHECK(run_shell(source_folder() + "/scripts/skipped_tests.sh log", folder.path()).out ==
        "skipped cli.colors: no terminal; mount it\nskipped lint.manual: no reason is given\n");
}

TEST_CASE("each test that may be skipped says a cure behind the reason") {
  const std::string skips = "grep -rnE '\"skipped: [a-z]' tests --include='*.cc' --include='*.cmake'";
  const Finished all = run_shell(skips, source_folder()), without_cure = run_shell(skips + " | grep -vE '\"skipped: .*; .*\"'", source_folder());
  CHECK(all.out.find("tests/cli/search_test.cc") != std::string::npos);
  CHECK(without_cure.out == "");
}

}  // namespace opledger
