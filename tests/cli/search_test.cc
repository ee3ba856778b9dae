#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/cli/process.h"
#include "tests/paths.h"
#include "tests/schemas/temporary_folder.h"

/// Searches that are interrupted.
namespace opledger {
namespace {

namespace fs = std::filesystem;

/// A space of ten million candidates, a sixth of them feasible: to write them takes seconds.
const std::vector<std::string> kLarge = {"search",         "calculon", "calculon/gpt3-175B", "calculon/a100_80g", "--set",
                                         "num_procs=4096", "--set",    "max_batch_size=3072"};

struct Child {
  pid_t process = -1;
  int out = -1;  ///< To read its standard output from.
  fs::path errors;

  std::string read_some() const {
    std::string text(4096, '\0');
    const ::ssize_t count = ::read(out, text.data(), text.size());
    text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return text;
  }
  /// Reads to the end and waits for it: exit status, -1: a signal ended it.
  int finish(std::string& text) const {
    for (std::string more = read_some(); !more.empty(); more = read_some()) text += more;
    int status = 0;
    ::waitpid(process, &status, 0);
    ::close(out);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
};

Child start(std::vector<std::string> words, const fs::path& folder) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  Child child;
  child.errors = folder / "errors";
  child.process = ::fork();
  if (child.process == 0) {
    const int errors = ::open(child.errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(ends[1], STDOUT_FILENO);
    ::dup2(errors, STDERR_FILENO);
    ::close(ends[0]);
    ::setenv("HOME", "/nonexistent", 1);
    std::string program = program_path();
    std::vector<char*> arguments = {program.data()};
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    if (::chdir(folder.c_str()) == 0) ::execv(program.c_str(), arguments.data());
    ::_exit(127);
  }
  ::close(ends[1]);
  child.out = ends[0];
  return child;
}

std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace

TEST_CASE("a search that is interrupted ends with what it has found, and says so") {
  const TemporaryFolder folder;
  const Child child = start(with(kLarge, {"--all"}), folder.path());
  std::string text = child.read_some();  // it has begun, and waits for us to read on
  CHECK(text.rfind("training,", 0) == 0);
  ::kill(child.process, SIGINT);
  CHECK(child.finish(text) == 130);
  CHECK(text.back() == '\n');
  CHECK(read_file(child.errors) == "warning: interrupted: not all candidates were tried\n");
}

TEST_CASE("a file of a search that is interrupted is marked, and what was there stays") {
  const TemporaryFolder folder;
  folder.write("rows.csv", "old");
  const Child child = start(with(kLarge, {"--all", "-o", "rows.csv", "--format", "json"}), folder.path());
  const fs::path growing = folder.path() / (".rows.csv." + std::to_string(child.process) + ".part");
  while (!fs::exists(growing) || fs::file_size(growing) == 0) REQUIRE(::waitpid(child.process, nullptr, WNOHANG) == 0);
  ::kill(child.process, SIGTERM);
  std::string text;
  CHECK(child.finish(text) == 130);
  CHECK(text.find("\"partial\": true") != std::string::npos);
  CHECK(read_file(folder.path() / "rows.csv") == "old");
  CHECK(!fs::exists(growing));
  const std::string rows = read_file(folder.path() / "rows.csv.partial");
  CHECK(rows.rfind("training,", 0) == 0);
  CHECK(rows.back() == '\n');
  CHECK(read_file(child.errors) == "warning: interrupted: what was found is in `rows.csv.partial`\n");
}

}  // namespace opledger
