#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/cli/process.h"
#include "tests/paths.h"
#include "tests/schemas/temporary_folder.h"

/// Signals at random moments to every command that writes files. Files appear whole or not at all, and nothing else is
/// left. OPLEDGER_SIGNALS sets the number of signals; by default, each command gets one.
namespace opledger {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct WritingCommand {
  std::string words;                ///< Words of the command line, separated by blanks.
  std::set<std::string> results;    ///< Names that the command may write.
  bool has_partial_result = false;  ///< An interrupted search also writes `NAME.partial`.
};

const std::string kSmallRun = " gpt2 single a100-80g-sxm ", kMiddleSpace = "search calculon calculon/gpt3-175B calculon/a100_80g --set num_procs=16 ";

const std::vector<WritingCommand> kWritingCommands = {
    {"export chakra" + kSmallRun + "-o traces", {"traces"}},
    {"export chakra gpt2 two.yaml a100-80g-sxm --detail operators -o traces", {"traces"}},
    {"eval" + kSmallRun + "--table table.csv -o rows.csv", {"rows.csv"}},
    {"eval" + kSmallRun + "--table table.csv --format json -o rows.json.gz", {"rows.json.gz"}},
    {"eval" + kSmallRun + "--format csv -o reports/", {"reports"}},
    {kMiddleSpace + "--all -o found.csv", {"found.csv"}, true},
    {kMiddleSpace + "--all -o found.jsonl.gz", {"found.jsonl.gz"}, true},
    {kMiddleSpace + "--write best/ --top 5", {"best"}},
    {kMiddleSpace + "--write best.yaml -o report.txt", {"best.yaml", "report.txt"}},
    {"explore" + kSmallRun + "-o page.html", {"page.html"}},
    {"heatmap stored.sqlite --x tensor_par --y pipeline_par -o map.svg", {"map.svg"}},
    {"timeline" + kSmallRun + "-o trace.json", {"trace.json"}},
    {"graph" + kSmallRun + "-o graph.json", {"graph.json"}},
    {"import hf config.json -o model.yaml", {"model.yaml"}},
};

/// Starts a command as a terminal does: signals have their usual effect.
pid_t start_writing(const std::string& command, const fs::path& folder) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
  const int none = ::open("/dev/null", O_RDWR);
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(none, descriptor);
  ::setenv("HOME", "/nonexistent", 1);
  if (::chdir(folder.c_str()) == 0) ::execl("/bin/sh", "sh", "-c", ("exec '" + program_path() + "' " + command).c_str(), nullptr);
  ::_exit(127);
}

/// Returns the files below a folder with their contents; empty folders count as files.
std::map<std::string, std::string> files_below(const fs::path& folder) {
  std::map<std::string, std::string> out;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
    out[entry.path().lexically_relative(folder).string()] = entry.is_regular_file() ? read_file(entry.path()) : "";
  return out;
}

/// Returns the entries of `all` that are below one of the names.
std::map<std::string, std::string> entries_of(const std::map<std::string, std::string>& all, const std::set<std::string>& names) {
  std::map<std::string, std::string> out;
  for (const auto& [path, text] : all) {
    if (names.count(path.substr(0, path.find('/'))) != 0) out.emplace(path, text);
  }
  return out;
}

void write_inputs(const fs::path& folder) {
  std::string table = "microbatch_size,seq\n";
  for (int i = 0; i < 20'000; ++i) table += std::to_string(1 + i % 2) + "," + std::to_string(128 + i % 800) + "\n";
  std::ofstream(folder / "table.csv") << table;
  std::ofstream(folder / "two.yaml") << "kind: execution\nname: two\nmesh: {dp: 4, pp: 2}\nbatch_size: 32\nrules: [megatron]\n";
  fs::copy_file(fs::path(source_folder()) / "tests/data/import/hf/granitemoe.json", folder / "config.json");
}

}  // namespace

TEST_CASE("commands that write leave whole files or nothing at a signal") {
  const TemporaryFolder folder;
  write_inputs(folder.path());
  REQUIRE(run_shell("opledger " + kMiddleSpace + "-o stored.sqlite", folder.path()).status == 0);
  const std::map<std::string, std::string> inputs = files_below(folder.path());
  const char* const requested = std::getenv("OPLEDGER_SIGNALS");
  const int count = requested != nullptr ? std::atoi(requested) : 14;
  std::mt19937 random(static_cast<unsigned>(count));
  std::map<const WritingCommand*, double> seconds;
  std::map<const WritingCommand*, std::map<std::string, std::string>> whole;
  const auto remove_results = [&] {
    for (const auto& [path, _] : files_below(folder.path())) {
      if (inputs.count(path) == 0) fs::remove_all(folder.path() / path);
    }
  };
  int killed = 0;
  for (int i = 0; i < count; ++i) {
    const WritingCommand& command = kWritingCommands[static_cast<std::size_t>(i) % kWritingCommands.size()];
    CAPTURE(command.words);
    if (seconds.count(&command) == 0) {  // The first run goes to its end, and shows the results and the time.
      const auto from = Clock::now();
      int status = 0;
      ::waitpid(start_writing(command.words, folder.path()), &status, 0);
      REQUIRE(WIFEXITED(status));
      REQUIRE(WEXITSTATUS(status) == 0);
      seconds[&command] = std::chrono::duration<double>(Clock::now() - from).count();
      whole[&command] = entries_of(files_below(folder.path()), command.results);
      CHECK(!whole[&command].empty());
      CHECK(files_below(folder.path()).size() == inputs.size() + whole[&command].size());
      remove_results();
    }
    const int signal = std::vector{SIGINT, SIGTERM, SIGHUP}[static_cast<std::size_t>(i) % 3];
    CAPTURE(signal);
    const double after = seconds[&command] * std::uniform_real_distribution<>(0, 1.1)(random);
    CAPTURE(after);
    const pid_t child = start_writing(command.words, folder.path());
    std::this_thread::sleep_for(std::chrono::duration<double>(after));
    ::kill(child, signal);
    int status = 0;
    ::waitpid(child, &status, 0);
    const bool is_killed = WIFSIGNALED(status) && WTERMSIG(status) == signal;
    const bool is_interrupted = WIFEXITED(status) && WEXITSTATUS(status) == 130 && command.words.starts_with("search");
    CHECK((is_killed || is_interrupted || (WIFEXITED(status) && WEXITSTATUS(status) == 0)));
    killed += is_killed || is_interrupted ? 1 : 0;
    std::map<std::string, std::string> left = files_below(folder.path());
    for (const auto& [path, text] : inputs) {
      CHECK((left[path] == text));
      left.erase(path);
    }
    if (command.has_partial_result) left.erase(*command.results.begin() + ".partial");
    // An interrupted search writes a report and executions of what it has found; their contents differ.
    const bool differs = is_interrupted || command.words.starts_with("search");
    std::string names;
    for (const auto& [path, _] : left) names += path + " ";
    CAPTURE(names);
    if (!left.empty() && !differs) CHECK((left == whole[&command]));
    CHECK(left.size() == entries_of(left, command.results).size());
    remove_results();
  }
  CHECK(killed > count / 4);
}

TEST_CASE("a program that is to ignore the end of its terminal goes on") {
  const TemporaryFolder folder;
  const Finished finished = run_shell("nohup opledger " + kMiddleSpace + "--all -o found.csv > report & sleep 0.2; kill -HUP $!; wait $!", folder.path());
  CHECK(finished.status == 0);
  CHECK(fs::exists(folder.path() / "found.csv"));
}

}  // namespace opledger
