#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "search/store/database.h"
#include "tests/cli/process.h"
#include "tests/paths.h"
#include "tests/schemas/temporary_folder.h"

/// Interrupted searches.
namespace opledger {
namespace {

namespace fs = std::filesystem;

/// A space of ten million candidates, a sixth of them feasible; writing the candidates takes seconds.
const std::vector<std::string> kLarge = {"search",         "calculon", "calculon/gpt3-175B", "calculon/a100_80g", "--set",
                                         "num_procs=4096", "--set",    "max_batch_size=3072"};

/// A search of about a second.
const std::vector<std::string> kMiddle = {"search",
                                          "calculon",
                                          "calculon/gpt3-175B",
                                          "calculon/a100_80g",
                                          "--set",
                                          "num_procs=512",
                                          "--set",
                                          "tensor_par_comm_type=ar",
                                          "--set",
                                          "data_par_overlap=false",
                                          "--format",
                                          "json"};

struct Child {
  pid_t process = -1;
  int out = -1;  ///< Pipe with the standard output of the process.
  fs::path errors;

  std::string read_some() const {
    std::string text(4096, '\0');
    const ::ssize_t count = ::read(out, text.data(), text.size());
    text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return text;
  }
  /// Reads the output to its end and waits for the process. Returns the exit status; -1 after a signal.
  int finish(std::string& text) const {
    for (std::string more = read_some(); !more.empty(); more = read_some()) text += more;
    int status = 0;
    ::waitpid(process, &status, 0);
    ::close(out);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
};

Child start(std::vector<std::string> words, const fs::path& folder, std::string program = program_path()) {
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
    std::vector<char*> arguments = {program.data()};
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    if (::chdir(folder.c_str()) == 0) ::execvp(program.c_str(), arguments.data());
    ::_exit(127);
  }
  ::close(ends[1]);
  child.out = ends[0];
  return child;
}

/// Returns the content of a store, one line for each row.
std::string dump(const fs::path& store, int candidate_columns) {
  std::string out;
  Database database;
  REQUIRE(database.open(store, false));
  const std::pair<const char*, int> tables[] = {{"search ORDER BY name", 2},
                                                {"axes", 4},
                                                {"metrics", 5},
                                                {"cells", 4},
                                                {"candidates", candidate_columns},
                                                {"reasons", 2},
                                                {"parts", 3},
                                                {"state", 2},
                                                {"checks", 3}};
  for (const auto& [table, columns] : tables) {
    const auto rows = database.prepare(std::string("SELECT * FROM ") + table);
    REQUIRE(rows != nullptr);
    while (rows->step()) {
      for (int c = 0; c < columns; ++c) out += rows->text(c) + "|";
      out += "\n";
    }
    CHECK(!rows->broken());
  }
  return out;
}

/// Returns the number of candidate ranges in a store.
std::int64_t stored_ranges(const fs::path& store) {
  Database database;
  if (!fs::exists(store) || !database.open(store, false)) return 0;
  const auto state = database.prepare("SELECT parts FROM state");
  return state != nullptr && state->step() ? state->integer(0) : 0;
}

/// The library that calls MPI; absent from a build without MPI.
const fs::path kModule = fs::path(program_path()).parent_path() / "libopledger_mpi.so";

/// Returns whether MPI is available. Fails without MPI if the environment has OPLEDGER_MPI=required.
bool has_mpi() {
  const bool installed = fs::exists(kModule) && run_shell("command -v mpirun", ".").status == 0;
  const char* requirement = std::getenv("OPLEDGER_MPI");
  REQUIRE((installed || requirement == nullptr || std::string(requirement) != "required"));
  if (!installed) MESSAGE("skipped: there is no MPI; `scripts/setup.sh mpi` installs it, and `make build` then builds the module");
  return installed;
}

/// Returns the command that starts the program on several ranks. Open MPI keeps allocations until a process ends, so
/// the leak checker is off.
std::string mpi_command(const std::string& ranks) {
  return "ASAN_OPTIONS=detect_leaks=0 mpirun --allow-run-as-root --oversubscribe -np " + ranks + " opledger";
}

/// Returns whether a process handles a signal.
bool catches(pid_t process, int signal) {
  const std::string status = read_file("/proc/" + std::to_string(process) + "/status"), key = "SigCgt:";
  const std::size_t at = status.find(key);
  return at != std::string::npos && (std::stoull(status.substr(at + key.size()), nullptr, 16) >> (signal - 1) & 1) != 0;
}

/// Returns the child processes of a process.
std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> out;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const std::string stat = read_file(entry.path() / "stat");
    const std::size_t after_name = stat.rfind(')');
    if (after_name != std::string::npos && std::atoi(stat.c_str() + after_name + 4) == parent) out.push_back(std::atoi(name.c_str()));
  }
  std::sort(out.begin(), out.end());
  return out;
}

/// Returns the part of a result that does not depend on the course of the search.
std::string result_part(const std::string& json) { return json.substr(0, json.find("\"structures\"")); }

std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace

TEST_CASE("a search that is interrupted ends with what it has found, and says so") {
  const TemporaryFolder folder;
  const Child child = start(with(kLarge, {"--all"}), folder.path());
  std::string text = child.read_some();  // The search has begun and waits until the pipe is read.
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

TEST_CASE("a search that was killed or interrupted goes on where it stopped: nothing is lost, nothing is counted twice") {
  const TemporaryFolder folder;
  const std::vector<std::string> words = with(kMiddle, {"--metrics", "total_time", "--sums", "total_time", "--pareto", "sample_rate,proc_mem_tier1_cap_req"});
  std::string whole, resumed;
  CHECK(start(with(words, {"-o", "whole.sqlite"}), folder.path()).finish(whole) == 0);
  std::int64_t before = 0;
  for (const int signal : {SIGKILL, SIGINT}) {
    const Child child = start(with(words, {"-o", "runs.sqlite", "--resume"}), folder.path());
    while (stored_ranges(folder.path() / "runs.sqlite") <= before) REQUIRE(::waitpid(child.process, nullptr, WNOHANG) == 0);
    ::kill(child.process, signal);
    std::string text;
    CHECK(child.finish(text) == (signal == SIGKILL ? -1 : 130));
    before = stored_ranges(folder.path() / "runs.sqlite");
  }
  CHECK(read_file(folder.path() / "errors") == "warning: interrupted: what was found is in `runs.sqlite`, and `--resume` continues\n");
  CHECK(before < stored_ranges(folder.path() / "whole.sqlite"));
  CHECK(start(with(words, {"-o", "runs.sqlite", "--resume"}), folder.path()).finish(resumed) == 0);
  CHECK((dump(folder.path() / "runs.sqlite", 25) == dump(folder.path() / "whole.sqlite", 25)));
  CHECK(result_part(resumed) == result_part(whole));
  resumed.clear();
  CHECK(start(with(words, {"-o", "runs.sqlite", "--resume"}), folder.path()).finish(resumed) == 0);  // The search is already complete.
  CHECK(result_part(resumed) == result_part(whole));
}

TEST_CASE("processes that mpirun starts share a search: the same bytes, however many they are") {
  if (!has_mpi()) return;
  const TemporaryFolder folder;
  const std::string search =
      " search calculon calculon/megatron-126M calculon/a100_80g --set num_procs=4 --sums total_time --pareto sample_rate,proc_mem_tier1_cap_req --format "
      "json ";
  const Finished alone = run_shell("opledger" + search + "--all -o alone.csv && opledger" + search + "-o alone.sqlite", folder.path());
  REQUIRE(alone.status == 0);
  for (const std::string ranks : {"1", "2", "4"}) {
    CAPTURE(ranks);
    const std::string run = mpi_command(ranks) + search;
    const Finished plain = run_shell(run, folder.path());
    CHECK(plain.status == 0);
    CHECK(result_part(plain.out) == result_part(alone.out));
    CHECK(result_part(run_shell(run + "--all -o rows.csv", folder.path()).out) == result_part(alone.out));
    CHECK((read_file(folder.path() / "rows.csv") == read_file(folder.path() / "alone.csv")));
    CHECK(result_part(run_shell("rm -f runs.sqlite; " + run + "-o runs.sqlite", folder.path()).out) == result_part(alone.out));
    CHECK((dump(folder.path() / "runs.sqlite", 23) == dump(folder.path() / "alone.sqlite", 23)));
    const Finished wrong = run_shell(run + "--where 1", folder.path());
    CHECK(wrong.err.find("error: `--where 1`: a condition must be true or false") != std::string::npos);
    CHECK(wrong.status == 2);
  }
}

TEST_CASE("processes that trace what they meet, since an axis stops, tell what one process tells") {
  if (!has_mpi()) return;
  const TemporaryFolder folder;
  const std::string space = "--set processors=8 --set batch_size=8 --stop microbatch_size --format json";
  const std::string search = " search standard vit-l-16 mi300x-192g " + space;
  const Finished alone = run_shell("opledger" + search, folder.path());
  CHECK(alone.out.find("does not divide") != std::string::npos);
  CHECK(result_part(run_shell(mpi_command("3") + search, folder.path()).out) == result_part(alone.out));
}

TEST_CASE("an error of another process is reported with all its notes") {
  if (!has_mpi()) return;
  const TemporaryFolder folder;
  folder.write("own.yaml",
               "kind: accounting\nname: own\ninputs:\n  a: {type: integer, min: 1, default: 1, doc: a number}\nmetrics:\n"
               "  score: {unit: count, doc: the number, is: \"if a == 3 then null else a\"}\n");
  folder.write("space.yaml", "kind: search\nname: space\ndoc: A space.\naccounting: own.yaml\nmaximize: score\naxes:\n  - a: range(1, 9)\n");
  const Finished shared = run_shell(mpi_command("2") + " search space.yaml '' ''", folder.path());
  CHECK(shared.status == 2);
  CHECK(shared.err.find("error: rank 1 can't go on: `score` has no value for some feasible candidates") != std::string::npos);
  CHECK(shared.err.find("  note: such as a=3\n") != std::string::npos);
}

TEST_CASE("processes that share a search trace each of its structures once") {
  if (!has_mpi()) return;
  const std::string search = " search standard llama-3-70b h100-80g-sxm --set processors=64 --set batch_size=64 --format json";
  const auto structures = [](const std::string& json) { return json.substr(json.find("\"structures\""), 18); };
  const Finished alone = run_shell("opledger" + search, ".");
  for (const std::string ranks : {"2", "4"}) {
    CAPTURE(ranks);
    const Finished shared = run_shell(mpi_command(ranks) + search, ".");
    CHECK(result_part(shared.out) == result_part(alone.out));
    CHECK(structures(shared.out) == structures(alone.out));
  }
}

TEST_CASE("a report under mpirun is that of one process, without colors and as wide as in a file") {
  if (!has_mpi()) return;
  const std::string search = " search calculon calculon/megatron-126M calculon/a100_80g --set num_procs=4";
  const auto best = [](const std::string& text) { return text.substr(text.find("Values in common")); };
  const Finished alone = run_shell("opledger" + search, "."), shared = run_shell("TERM=xterm " + mpi_command("3") + search, ".");
  CHECK(shared.out.find('\x1b') == std::string::npos);
  CHECK(best(shared.out) == best(alone.out));
  CHECK(run_shell("TERM=xterm " + mpi_command("3") + search + " --color always", ".").out.find('\x1b') != std::string::npos);
}

TEST_CASE("processes that were started together without MPI say so instead of each searching alone") {
  const TemporaryFolder folder;
  const std::string search = " search calculon calculon/megatron-126M calculon/a100_80g --set num_procs=2";
  fs::copy(program_path(), folder.path() / "without");  // The MPI library is in the folder of the program and is not copied.
  const Finished without = run_shell("PMI_SIZE=3 ./without" + search, folder.path());
  const std::string begin = "error: 3 processes were started together, but ";
  CHECK(without.status == 2);
  if (fs::exists(kModule)) {
    CHECK(without.err.starts_with(begin + "`libopledger_mpi.so` is missing (install the package opledger-mpi; searched: " + folder.path().string() + ", "));
  } else {
    CHECK(without.err.starts_with(begin + "this program was built without MPI (install MPI and build it again): each would search alone\n"));
  }
  CHECK(run_shell("PMI_SIZE=1 ./without" + search, folder.path()).status == 0);
}

TEST_CASE("a module for MPI that can't be used is named with the reason, in each folder of an installation") {
  const std::string search = " search calculon calculon/megatron-126M calculon/a100_80g --set num_procs=2";
  for (const std::string module_folder : {"bin", "lib/opledger", "lib64/opledger"}) {
    const TemporaryFolder installed;
    fs::create_directories(installed.path() / "bin");
    fs::create_directories(installed.path() / module_folder);
    fs::copy(program_path(), installed.path() / "bin/opledger");
    const fs::path module = installed.path() / module_folder / "libopledger_mpi.so";
    const std::string problem = "error: 3 processes were started together, but `" + module.string() + "` ";
    std::ofstream(module) << "no library";
    const Finished garbage = run_shell("PMI_SIZE=3 bin/opledger" + search, installed.path());
    CHECK(garbage.status == 2);
    CHECK(garbage.err == problem + "can't be loaded (file too short): each would search alone\n");
    if (!fs::exists(kModule) || run_shell("command -v mpirun", ".").status != 0) continue;
    fs::remove(module);
    fs::copy(kModule, module);  // This module is found: MPI starts, and knows of one process.
    CHECK(run_shell("PMI_SIZE=3 bin/opledger" + search, installed.path()).err.find("which knows 1") != std::string::npos);
  }
}

TEST_CASE("processes that another MPI has started together say so instead of each searching alone") {
  if (!has_mpi()) return;
  const std::string search = " search calculon calculon/megatron-126M calculon/a100_80g --set num_procs=2";
  const Finished foreign = run_shell("PMI_SIZE=3 ASAN_OPTIONS=detect_leaks=0 opledger" + search, ".");
  CHECK(foreign.status == 2);
  CHECK(foreign.err ==
        "error: 3 processes were started together, but not by the MPI that this program was built with, which knows 1 (start them with the launcher of that "
        "MPI, or build with the MPI of this launcher): each would search alone\n");
}

TEST_CASE("a process that is killed ends a shared search, and another one goes on with nothing lost or counted twice") {
  if (!has_mpi() || !has_process_files()) return;
  const TemporaryFolder folder;
  const std::vector<std::string> search = with(kMiddle, {"--sums", "total_time", "-o", "runs.sqlite", "--resume"});
  const Child child = start(with({"--allow-run-as-root", "--oversubscribe", "-np", "3", program_path()}, search), folder.path(), "mpirun");
  while (stored_ranges(folder.path() / "runs.sqlite") == 0) REQUIRE(::waitpid(child.process, nullptr, WNOHANG) == 0);
  ::kill(children_of(child.process).back(), SIGKILL);
  std::string text;
  CHECK(child.finish(text) > 0);
  CHECK(read_file(child.errors).find("exited on signal 9") != std::string::npos);
  text.clear();
  CHECK(start(search, folder.path()).finish(text) == 0);
  const std::string resumed = result_part(text);
  text.clear();
  CHECK(start(with(kMiddle, {"--sums", "total_time", "-o", "whole.sqlite"}), folder.path()).finish(text) == 0);
  CHECK(result_part(text) == resumed);
  CHECK((dump(folder.path() / "runs.sqlite", 23) == dump(folder.path() / "whole.sqlite", 23)));
}

TEST_CASE("processes whose leader is interrupted while they trace structures end, and it reports") {
  if (!has_mpi() || !has_process_files()) return;
  const TemporaryFolder folder;
  // Many compiled programs, so other ranks send one at any time.
  const std::vector<std::string> search = {"search",        "standard", "llama-3-70b", "h100-80g-sxm", "--set",       "processors=64", "--set",
                                           "batch_size=64", "--set",    "orders=true", "--set",        "widest_cp=2", "--set",         "offloads=true",
                                           "--jobs",        "1",        "--format",    "json"};
  const Child child = start(with({"ASAN_OPTIONS=detect_leaks=0", "mpirun", "--allow-run-as-root", "--oversubscribe", "-np", "3", program_path()}, search),
                            folder.path(), "env");
  std::vector<pid_t> ranks;
  for (; ranks.size() < 3 || !catches(ranks.front(), SIGTERM); ranks = children_of(child.process)) REQUIRE(::waitpid(child.process, nullptr, WNOHANG) == 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // The search takes some seconds.
  ::kill(ranks.front(), SIGTERM);
  std::string text;
  CHECK(child.finish(text) == 130);
  CHECK(text.find("\"partial\": true") != std::string::npos);
}

TEST_CASE("a store of another search, of another version, or of something else is refused, and so is a disk that is full") {
  const TemporaryFolder folder;
  const std::string words = "opledger search calculon calculon/megatron-126M calculon/a100_80g --set num_procs=2 -o runs.sqlite ";
  CHECK(run_shell(words, folder.path()).status == 0);
  const std::pair<std::string, std::string> cases[] = {
      {words, "error: `runs.sqlite` already exists: `--resume` continues its search; another name begins a new one\n"},
      {words + "--resume --top 3", "error: `runs.sqlite` holds a different search: other documents, settings, metrics or another version of the program\n"},
      {words + "--resume --set max_batch_size=4",
       "error: `runs.sqlite` holds a different search: other documents, settings, metrics or another version of the program\n"},
      {"echo text > runs.sqlite; " + words + "--resume", "error: `runs.sqlite` is damaged, or no store of a search: file is not a database\n"},
      {"rm runs.sqlite; mkdir runs.sqlite; " + words, "error: `runs.sqlite` is a folder\n"},
      {"rmdir runs.sqlite; mkfifo runs.sqlite; " + words, "error: `runs.sqlite` is no regular file: it can't hold a store\n"},
      {"rm runs.sqlite; ulimit -f 100; " + words, "error: can't write `runs.sqlite`: disk I/O error\n"},
      {words + "-o none/runs.sqlite", "error: can't write `none/runs.sqlite`: unable to open database file: No such file or directory\n"},
      {words + "-o rows.csv --all --resume", "error: `--resume` continues the search of a store: `-o FILE.sqlite`\n"},
  };
  for (const auto& [command, message] : cases) {
    CAPTURE(command);
    const Finished finished = run_shell(command, folder.path());
    CHECK(finished.status == 2);
    CHECK(finished.err == message);
  }
  Database database;
  REQUIRE(database.open(folder.path() / "other.sqlite", true));
  REQUIRE(database.run("CREATE TABLE a (b)"));
  CHECK(run_shell(words + "-o other.sqlite --resume", folder.path()).err == "error: `other.sqlite` is no store of a search\n");
  CHECK(run_shell(words + "-o newer.sqlite", folder.path()).status == 0);
  Database newer;
  REQUIRE(newer.open(folder.path() / "newer.sqlite", true));
  REQUIRE(newer.run("PRAGMA user_version = 3"));
  CHECK(run_shell(words + "-o newer.sqlite --resume", folder.path()).err == "error: `newer.sqlite` is a store of version 3, this program knows version 2\n");
}

TEST_CASE("a store that isn't as the search left it is damaged: nothing goes on behind it, and nothing is shown of it") {
  const TemporaryFolder folder;
  const std::string words = "opledger search calculon calculon/megatron-126M calculon/a100_80g --set num_procs=2 --top 3 -o ";
  REQUIRE(run_shell(words + "whole.sqlite", folder.path()).status == 0);
  const std::string tables = "its tables are not as the search created them";
  const std::pair<const char*, std::string> cases[] = {
      {"DELETE FROM state", "table `state` has 0 rows, the search wrote 1"},
      {"UPDATE state SET parts = -5", "table `state` was changed"},
      {"UPDATE state SET found = 'zz'", "table `state` was changed"},
      {"UPDATE state SET found = CAST(found AS TEXT)", "table `state` was changed"},
      {"DELETE FROM parts WHERE part = 0", "table `parts` has 3 rows, the search wrote 4"},
      {"UPDATE parts SET candidates = candidates + 1", "table `parts` was changed"},
      {"DELETE FROM search", "table `search` has 0 rows, the search wrote 10"},
      {"UPDATE search SET value = 'false' WHERE name = 'complete'", "table `search` was changed"},
      {"UPDATE search SET value = 'smallest' WHERE name = 'best'", "table `search` was changed"},
      {"UPDATE axes SET unit = 'byte' WHERE position = 0", "table `axes` was changed"},
      {"UPDATE metrics SET doc = doc || '.'", "table `metrics` was changed"},
      {"DELETE FROM cells WHERE rowid = 7", "table `cells` has 717 rows, the search wrote 718"},
      {"INSERT INTO reasons VALUES ('too slow', 7)", "table `reasons` has 1 row, the search wrote 0"},
      {"DELETE FROM candidates WHERE rowid % 7 = 0", "table `candidates` has 2346 rows, the search wrote 2736"},
      {"INSERT INTO candidates SELECT * FROM candidates LIMIT 1", "table `candidates` has 2737 rows, the search wrote 2736"},
      {"UPDATE candidates SET sample_rate = 1e30 WHERE rowid = 5", "table `candidates` was changed"},
      {"UPDATE candidates SET sample_rate = sample_rate * (1 + 2e-16) WHERE rowid = 5", "table `candidates` was changed"},
      {"UPDATE candidates SET rowid = -1 WHERE rowid = 3; UPDATE candidates SET rowid = 3 WHERE rowid = 4; UPDATE candidates SET rowid = 4 WHERE rowid = -1",
       "table `candidates` was changed"},
      {"UPDATE candidates SET tensor_par = CAST(tensor_par AS REAL)", "table `candidates` was changed"},
      {"ALTER TABLE candidates RENAME COLUMN tensor_par TO pipeline; ALTER TABLE candidates RENAME COLUMN pipeline_par TO tensor_par", tables},
      {"DROP TABLE candidates", tables},
      {"DROP TABLE checks", tables},
      {"DELETE FROM checks WHERE name = 'reasons'", "the checksum of table `reasons` is missing"},
      {"CREATE TRIGGER t AFTER INSERT ON candidates BEGIN DELETE FROM candidates WHERE rowid = new.rowid; END", tables},
  };
  for (const auto& [damage, why] : cases) {
    CAPTURE(std::string(damage));
    fs::copy_file(folder.path() / "whole.sqlite", folder.path() / "runs.sqlite", fs::copy_options::overwrite_existing);
    {
      Database database;
      REQUIRE(database.open(folder.path() / "runs.sqlite", true));
      REQUIRE(database.run(damage));
    }
    for (const std::string& command : {words + "runs.sqlite --resume", std::string("opledger heatmap runs.sqlite --x tensor_par --y pipeline_par")}) {
      const Finished finished = run_shell(command, folder.path());
      CHECK(finished.status == 2);
      CHECK(finished.err == "error: `runs.sqlite` is damaged: " + why + "\n");
      CHECK(finished.out == "");
    }
  }
}

TEST_CASE("what a user adds for queries of his own is no damage") {
  const TemporaryFolder folder;
  const std::string words = "opledger search calculon calculon/megatron-126M calculon/a100_80g --set num_procs=2 --top 3 -o runs.sqlite";
  REQUIRE(run_shell(words, folder.path()).status == 0);
  {
    Database database;
    REQUIRE(database.open(folder.path() / "runs.sqlite", true));
    REQUIRE(
        database.run("CREATE INDEX mine ON candidates (tensor_par); CREATE VIEW some AS SELECT * FROM candidates; CREATE TABLE notes (text); ANALYZE; VACUUM"));
  }
  CHECK(run_shell(words + " --resume", folder.path()).status == 0);
  CHECK(run_shell("opledger heatmap runs.sqlite --x tensor_par --y pipeline_par", folder.path()).status == 0);
}

TEST_CASE("a store whose bytes were overwritten, or that was cut off, is refused with one message wherever that was") {
  const TemporaryFolder folder;
  const std::string words = "opledger search calculon calculon/megatron-126M calculon/a100_80g --set num_procs=2 -o ";
  REQUIRE(run_shell(words + "whole.sqlite", folder.path()).status == 0);
  const std::string whole = read_file(folder.path() / "whole.sqlite");
  constexpr std::size_t kPage = 4096;
  const auto refused = [&](const std::string& bytes) {
    folder.write("runs.sqlite", bytes);
    for (const std::string& command : {words + "runs.sqlite --resume", std::string("opledger heatmap runs.sqlite --x tensor_par --y pipeline_par")}) {
      const Finished finished = run_shell(command, folder.path());
      CAPTURE(finished.err);
      CHECK(finished.status == 2);
      CHECK(finished.out == "");
      CHECK(finished.err.find("error: `runs.sqlite` is ") == 0);
      CHECK(finished.err.find('\n') == finished.err.size() - 1);
    }
  };
  for (std::size_t page = 0; page < whole.size() / kPage; page += 1 + page / 4) {
    CAPTURE(page);
    std::string bytes = whole;
    for (std::size_t i = 0; i < 24; ++i) bytes[(page + 1) * kPage - 1 - i] ^= 0x55;  // SQLite stores rows from the end of a page on.
    refused(bytes);
    refused(whole.substr(0, page * kPage + kPage / 2));
  }
}

TEST_CASE("a condition that can't be evaluated refuses candidates, says why, and leaves those for which it can be") {
  const TemporaryFolder folder;
  for (const char* degrees : {"1, 2, 4", "4, 2, 1"}) {
    folder.write("space.yaml", std::string("kind: search\nname: space\naccounting: standard\nmesh: {dp: 1, tp: 1}\nrules: [megatron]\n"
                                           "axes: [tp: '") +
                                   degrees + "', dp: 4 // tp, batch_size: 8]\nmaximize: tokens_per_second\n");
    const Finished result_part = run_shell("opledger search space.yaml gpt2 h100-80g-sxm --format json --where 'system.networks[tp].size > 0'", folder.path());
    CAPTURE(result_part.out);
    CHECK(result_part.status == 0);
    CHECK(result_part.out.find("\"feasible\": 1,") != std::string::npos);
    CHECK(result_part.out.find("\"`system.networks[tp]`: there is no item 2 in a list of 2\": 1") != std::string::npos);
    CHECK(result_part.out.find("\"`system.networks[tp]`: there is no item 4 in a list of 2\": 1") != std::string::npos);
  }
}

TEST_CASE("candidates that are the same run are listed once, and counted, summed and written down like others") {
  const TemporaryFolder folder;
  folder.write("tiny.yaml",
               "kind: model\nname: tiny\nuses: [embeddings, decoder, heads]\n"
               "parameters: {layers: 2, hidden: 256, heads: 4, kv_heads: 4, ffn: 512, vocab: 1000, seq: 128}\n"
               "graph: [{name: embedding, block: token_embedding}, {name: decoder, block: llama_layer, repeat: layers}, {name: head, block: rmsnorm_head}]\n");
  folder.write("space.yaml",
               "kind: search\nname: space\naccounting: standard\nmesh: {dp: 1, tp: 1}\nrules: [megatron, recompute_selective: recompute == selective]\n"
               "inputs: {recompute: {type: [none, selective], default: none, doc: what is rebuilt}}\n"
               "axes: [tp: '1, 2, 4', dp: 4 // tp, recompute: 'selective, none', batch_size: 8]\nmaximize: tokens_per_second\n");
  const auto bests = [&](const std::string& model, const std::string& more) {
    const Finished result_part = run_shell("opledger search space.yaml " + model + " h100-80g-sxm --format json " + more, folder.path());
    CHECK(result_part.status == 0);
    CHECK(result_part.out.find("\"feasible\": 6,") != std::string::npos);
    std::string out;
    for (std::size_t at = result_part.out.find("\"recompute\": "); at != std::string::npos; at = result_part.out.find("\"recompute\": ", at + 1)) {
      const std::size_t number = result_part.out.find("\"candidates\": ", at) + 14;
      out += result_part.out.substr(at + 14, 4) + " " + result_part.out.substr(number, result_part.out.find_first_not_of("0123456789", number) - number) + ", ";
    }
    return out;
  };
  // Fused attention keeps nothing to recompute; the first of several equal candidates in the space's order wins.
  CHECK(bests("tiny.yaml", "") == "sele 2, sele 2, sele 2, ");
  CHECK(bests("tiny.yaml", "--top 2") == "sele 2, sele 2, ");
  const std::string separate = bests("gpt2", "");
  CHECK(std::count(separate.begin(), separate.end(), '1') == 6);
  const Finished all = run_shell("opledger search space.yaml tiny.yaml h100-80g-sxm --all", folder.path());
  CHECK(std::count(all.out.begin(), all.out.end(), '\n') == 7);
  const Finished text = run_shell("opledger search space.yaml tiny.yaml h100-80g-sxm", folder.path());
  CHECK(text.out.find("  same run") != std::string::npos);
}

TEST_CASE("a best candidate with little headroom gets a warning with the estimates of memory that no formula counts") {
  const TemporaryFolder folder;
  folder.write("space.yaml",
               "kind: search\nname: space\naccounting: standard\nmesh: {dp: 1}\nrules: [megatron]\n"
               "axes: [dp: '1, 2', batch_size: 8]\nmaximize: tokens_per_second\n");
  const std::string words = "opledger search space.yaml gpt2 h100-80g-sxm --format json --metrics memory ";
  const Finished wide = run_shell(words, folder.path());
  CHECK(wide.err == "");
  const std::size_t at = wide.out.find("\"memory\": ") + 10;
  const double memory = std::stod(wide.out.substr(at));
  const auto warning = [&](double capacity) {
    return run_shell(words + "--set 'system.memory.capacity=" + std::to_string(static_cast<std::int64_t>(capacity)) + " byte'", folder.path()).err;
  };
  CHECK(warning(memory * 1.04) == "");
  const std::string little = warning(memory * 1.02);
  CHECK(little.find("warning: the best candidate leaves ") == 0);
  CHECK(little.find(" free, 2.0 %: little headroom for memory that no formula counts; `workspace` (memory of the framework and its libraries on every "
                    "rank) is 0 B\n") != std::string::npos);
}

TEST_CASE("what has no finite value is neither the best nor on the front") {
  const TemporaryFolder folder;
  folder.write("space.yaml",
               "kind: search\nname: space\naccounting: standard\nmesh: {dp: 1, tp: 1}\nrules: [megatron]\n"
               "metrics: {odd: {unit: ratio, doc: Infinite at tp 4., is: 1 / (tp - 4)}}\n"
               "axes: [tp: '1, 2, 4', dp: 4 // tp, batch_size: 8]\nmaximize: odd\n");
  for (const char* front : {"", " --pareto odd"}) {
    const Finished result_part = run_shell(std::string("opledger search space.yaml gpt2 h100-80g-sxm --format csv --top 2") + front, folder.path());
    CHECK(result_part.out == std::string("tp,dp,batch_size,odd\n1,4,8,-0.3333333333333333\n") + (front[0] == '\0' ? "2,2,8,-0.5\n" : ""));
  }
}

}  // namespace opledger
