#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/cli/process.h"
#include "tests/paths.h"
#include "tests/schemas/temporary_folder.h"

/// Results that can't be written: no permission, no space.
namespace opledger {
namespace {

namespace fs = std::filesystem;

const std::string kSmallSpace = " search calculon calculon/megatron-126M calculon/a100_80g --set num_procs=2 ";
const std::string kSmallSearch = program_path() + kSmallSpace;

/// Returns the command prefix that makes file permissions apply; empty unless the user is root.
std::string as_somebody() { return ::geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups " : ""; }

/// Installs the program and its documents in a folder that every user may read. The checkout may be readable only by
/// its owner.
std::string public_program(const fs::path& root) {
  const fs::path program = root / "bin/opledger", data = root / "share/opledger";
  fs::create_directories(program.parent_path());
  fs::copy_file(program_path(), program);
  for (const char* kind : {"ops", "models", "rules", "systems", "executions", "accounting", "search/spaces"}) {
    for (const fs::directory_entry& file : fs::recursive_directory_iterator(fs::path(source_folder()) / kind)) {
      if (file.path().extension() != ".yaml") continue;
      const fs::path copy = data / file.path().lexically_relative(source_folder());
      fs::create_directories(copy.parent_path());
      fs::copy_file(file.path(), copy);
    }
  }
  REQUIRE(run_shell("chmod -R a+rX .", root).status == 0);
  return program.string();
}

/// Commands and their messages; each command fails and leaves all files unchanged.
struct Case {
  std::string command, message;
};

void check_all(const std::vector<Case>& cases, const fs::path& folder) {
  for (const auto& [command, message] : cases) {
    CAPTURE(command);
    const Finished finished = run_shell(command, folder);
    CHECK(finished.status == 2);
    CHECK(finished.out == "");
    CHECK(finished.err == "error: can't write " + message + "\n");
  }
}

}  // namespace

TEST_CASE("an unwritable folder or file is reported, and stays unchanged") {
  const TemporaryFolder folder, installed;
  fs::permissions(folder.path(), fs::perms(0755));
  const std::string program = as_somebody() + public_program(installed.path()), search = program + kSmallSpace;
  if (run_shell(program + " list system", folder.path()).out.find("calculon/a100_80g") == std::string::npos) {
    MESSAGE("skipped: other users can't run a program of the temporary folder; set TMPDIR to a folder that they may enter");
    return;
  }
  REQUIRE(run_shell(kSmallSearch + "-o runs.sqlite && " + kSmallSearch + "--all -o rows.csv && chmod 444 runs.sqlite rows.csv && chmod 555 .", folder.path())
              .status == 0);
  const std::string rows = read_file(folder.path() / "rows.csv"), runs = read_file(folder.path() / "runs.sqlite");
  check_all({{search + "-o runs.sqlite --resume", "`runs.sqlite`: attempt to write a readonly database"},
             {search + "-o new.sqlite", "`new.sqlite`: unable to open database file: Permission denied"},
             {search + "--all -o rows.csv", "`rows.csv`: Permission denied"},
             {search + "--all -o new.csv", "`new.csv`: Permission denied"},
             {search + "--all -o new.csv.gz", "`new.csv.gz`: Permission denied"},
             {search + "--all -o new.json", "`new.json`: Permission denied"},
             {search + "--all -o new.jsonl", "`new.jsonl`: Permission denied"},
             {search + "-o new.txt", "`new.txt`: Permission denied"},
             {program + " heatmap runs.sqlite --x tensor_par --y pipeline_par -o map.svg", "`map.svg`: Permission denied"}},
            folder.path());
  CHECK((read_file(folder.path() / "rows.csv") == rows));
  CHECK((read_file(folder.path() / "runs.sqlite") == runs));
  // A heat map only reads the store.
  CHECK(run_shell(program + " heatmap runs.sqlite --x tensor_par --y pipeline_par", folder.path()).status == 0);
  CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 2);
  fs::permissions(folder.path(), fs::perms(0755));
}

TEST_CASE("a full disk is reported, and leaves no file that looks complete") {
  const TemporaryFolder folder;
  const std::string small = "unshare -m sh -c 'mount -t tmpfs -o size=128k none " + folder.path().string() + " && cd " + folder.path().string() + " && ";
  if (run_shell(small + "true'", folder.path()).status != 0) {
    MESSAGE("skipped: a small disk can't be mounted; run the test as root with the right to mount");
    return;
  }
  const std::string left = "; status=$?; ls -A; exit $status'";
  check_all({{small + kSmallSearch + "--all -o rows.csv" + left, "`rows.csv`: No space left on device"},
             {small + kSmallSearch + "--all -o rows.json" + left, "`rows.json`: No space left on device"},
             {small + kSmallSearch + "--all -o - > rows.csv; status=$?; rm rows.csv; exit $status'", "to standard output: No space left on device"}},
            folder.path());
  const Finished stored = run_shell(small + kSmallSearch + "-o runs.sqlite" + left, folder.path());
  CHECK(stored.status == 2);
  CHECK(stored.err == "error: can't write `runs.sqlite`: database or disk is full\n");
  CHECK(stored.out == "runs.sqlite\n");  // The store keeps the rows written so far, and `--resume` continues.
}

}  // namespace opledger
