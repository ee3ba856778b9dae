#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "base/text.h"
#include "cli/search_progress.h"
#include "report/cells.h"
#include "tests/cli/process.h"
#include "tests/paths.h"
#include "tests/schemas/temporary_folder.h"

/// Output on a terminal: progress of searches, and tables.
namespace opledger {
namespace {

namespace fs = std::filesystem;

const std::string kClear = "\r\033[K";
constexpr char kControlC = '\x03', kEscape = '\x1b';

/// Returns a pseudo-terminal with a number of columns; -1 and a message if the system has none.
int open_terminal(unsigned short columns) {
  const int terminal = open_pseudo_terminal();
  if (terminal < 0) return -1;
  struct winsize size = {};
  size.ws_row = 24, size.ws_col = columns;
  ::ioctl(terminal, TIOCSWINSZ, &size);
  return terminal;
}

/// Replaces the process by the program, with a terminal as its standard streams.
[[noreturn]] void become(const fs::path& folder, const char* terminal, std::vector<std::string> words) {
  ::setsid();
  const int own = ::open(terminal, O_RDWR);
  ::ioctl(own, TIOCSCTTY, 0);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(own, stream);
  ::setenv("HOME", "/nonexistent", 1);
  ::setenv("TERM", "xterm", 1);
  std::string program = program_path();
  std::vector<char*> arguments = {program.data()};
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  if (::chdir(folder.c_str()) == 0) ::execv(program.c_str(), arguments.data());
  ::_exit(127);
}

std::string take(int descriptor) {
  std::string text(1 << 16, '\0');
  const ::ssize_t count = ::read(descriptor, text.data(), text.size());
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return text;
}

/// Returns the output of a command on a terminal with a number of columns; 0: the terminal does not know its size.
/// Returns nothing if the system has no pseudo-terminal.
std::optional<std::string> on_terminal(const fs::path& folder, unsigned short columns, const char* variable, const std::vector<std::string>& words) {
  const int terminal = open_terminal(columns);
  if (terminal < 0) return std::nullopt;
  const pid_t process = ::fork();
  if (process == 0) {
    ::setenv("COLUMNS", variable, 1);
    become(folder, ::ptsname(terminal), words);
  }
  std::string seen, read_more;
  do {
    pollfd one = {terminal, POLLIN, 0};
    ::poll(&one, 1, -1);
    seen += read_more = take(terminal);
  } while (!read_more.empty());
  ::waitpid(process, nullptr, 0);
  ::close(terminal);
  return seen;
}

/// A search on a terminal of its own. Its candidates go to a pipe that only `read_more` empties, so the search can't end
/// early.
class Watched {
 public:
  Watched(const fs::path& folder, unsigned short columns, std::vector<std::string> words) {
    const fs::path rows = folder / "rows.csv";
    REQUIRE(::mkfifo(rows.c_str(), 0600) == 0);
    rows_ = ::open(rows.c_str(), O_RDONLY | O_NONBLOCK);
    terminal_ = open_terminal(columns);
    if (!has_terminal()) return;
    words.insert(words.end(), {"--all", "-o", "rows.csv"});
    process_ = ::fork();
    if (process_ == 0) become(folder, ::ptsname(terminal_), words);
  }
  ~Watched() {
    ::close(rows_);
    ::close(terminal_);
  }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

  bool has_terminal() const { return terminal_ >= 0; }

  /// Reads from the search. Returns false at its end.
  bool read_more() {
    pollfd both[] = {{terminal_, POLLIN, 0}, {rows_, POLLIN, 0}};
    ::poll(both, 2, -1);
    if ((both[1].revents & POLLIN) != 0) begun_ = !take(rows_).empty() || begun_;
    if ((both[1].revents & POLLHUP) != 0 && (both[1].revents & POLLIN) == 0) std::this_thread::yield();  // The pipe has no writer yet, or no longer.
    if (both[0].revents == 0) return true;
    const std::string text = take(terminal_);
    seen_ += text;
    return !text.empty();
  }
  void press(char key) { REQUIRE(::write(terminal_, &key, 1) == 1); }
  /// Reads the search to its end and returns its exit status.
  int finish() {
    while (read_more()) {
    }
    int status = 0;
    ::waitpid(process_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  bool begun() const { return begun_; }
  const std::string& seen() const { return seen_; }

 private:
  int rows_ = -1, terminal_ = -1;
  pid_t process_ = -1;
  bool begun_ = false;
  std::string seen_;
};

const std::vector<std::string> kWatchedSearch = {"search",        "calculon", "calculon/gpt3-175B",    "calculon/a100_80g", "--set",
                                                 "num_procs=512", "--set",    "data_par_overlap=false"};

/// Waits for the first progress line. Returns false if the system has no pseudo-terminal.
bool watch(Watched& search) {
  if (!search.has_terminal()) return false;
  while (!search.begun()) REQUIRE(search.read_more());
  std::this_thread::sleep_for(std::chrono::milliseconds(600));  // Progress begins only after half a second.
  while (search.seen().find(kClear) == std::string::npos) REQUIRE(search.read_more());
  return true;
}

/// Returns the progress lines, divided by the sequence that clears the line.
std::vector<std::string> progress_lines(const std::string& seen) {
  std::vector<std::string> out;
  for (std::size_t at = seen.find(kClear); at != std::string::npos;) {
    const std::size_t next = seen.find(kClear, at + kClear.size());
    if (next != std::string::npos) out.push_back(seen.substr(at + kClear.size(), next - at - kClear.size()));
    at = next;
  }
  return out;
}

}  // namespace

TEST_CASE("on a terminal a line tells how far a search is, as wide as it may be, and is gone in the end") {
  for (const unsigned short columns : {100, 24}) {
    const TemporaryFolder folder;
    Watched search(folder.path(), columns, kWatchedSearch);
    if (!watch(search)) return;
    CHECK(search.finish() == 0);
    const std::string& seen = search.seen();
    const std::vector<std::string> lines = progress_lines(seen);
    REQUIRE(!lines.empty());
    for (const std::string& line : lines) {
      CAPTURE(line);
      CHECK(width(line) < columns);
      const bool begun = line.rfind("0 of ", 0) != 0;  // The rate is unknown at the beginning.
      CHECK(line.find(columns > 50 && begun ? " left" : " of ") != std::string::npos);
    }
    CHECK((lines.back().find(", best sample_rate ") != std::string::npos) == (columns > 50));
    CHECK(seen.find('\n') > seen.rfind(kClear));
    CHECK(seen.compare(seen.rfind(kClear) + kClear.size(), 6, "model ") == 0);
  }
}

TEST_CASE("Ctrl-C on a terminal ends a search with what it has found, on a line of its own") {
  const TemporaryFolder folder;
  Watched search(folder.path(), 80, kWatchedSearch);
  if (!watch(search)) return;
  search.press(kControlC);
  CHECK(search.finish() == 130);
  const std::string& seen = search.seen();
  CHECK(seen.find('\n') > seen.rfind(kClear));
  CHECK(seen.substr(seen.rfind(kClear) + kClear.size()).rfind("\x1b[1m\x1b[33mwarning:\x1b[0m interrupted: what was found is in `rows.csv`\r\nmodel ", 0) == 0);
  CHECK(seen.find("Candidates, until it was interrupted") != std::string::npos);
}

TEST_CASE("tables are as wide as the terminal, or as COLUMNS says where it does not know, and in a pipe nothing is cut, whatever they say") {
  const TemporaryFolder folder;
  const std::string name = "a" + std::string(150, 'x') + "z";
  folder.write("wide.yaml", "kind: model\nname: wide\nuses: [embeddings, heads]\nparameters: {hidden: 8, vocab: 8, seq: 8}\ngraph:\n  - {name: " + name +
                                ", block: token_embedding}\n  - {name: head, block: rmsnorm_head}\n");
  const auto widest = [](const std::string& text) {
    std::size_t out = 0;
    for (const std::string& line : split(text, '\n')) out = std::max(out, width(trim(line)));
    return out;
  };
  const std::string piped = run_shell("COLUMNS=60 opledger params wide.yaml", folder.path()).out;
  CHECK(piped.find("  " + name + "\n") != std::string::npos);
  for (const auto& [columns, variable, expected] :
       {std::tuple{120, "70", 120u}, {0, "70", 70u}, {0, "0", 80u}, {0, "wide", 80u}, {0, "-7", 80u}, {0, "99999999999", 80u}}) {
    const auto text = on_terminal(folder.path(), static_cast<unsigned short>(columns), variable, {"params", "wide.yaml"});
    if (!text) return;
    CAPTURE(variable);
    CHECK(widest(*text) <= expected);
    CHECK(widest(*text) > expected - 4);
    CHECK(text->find("a" + std::string(8, 'x')) != std::string::npos);
    CHECK(text->find("xxxz") != std::string::npos);
  }
}

TEST_CASE("the terminal that mpirun gives a process has no colors and cuts no table: the output may go to a file") {
  const TemporaryFolder folder;
  ::setenv("OMPI_COMM_WORLD_SIZE", "1", 1);
  const auto text = on_terminal(folder.path(), 40, "40", {"params", "gpt2"});
  ::unsetenv("OMPI_COMM_WORLD_SIZE");
  if (!text) return;
  std::string plain = run_shell("opledger params gpt2", folder.path()).out, seen = *text;
  std::erase(seen, '\r');
  CHECK(seen == plain);
}

TEST_CASE("tables of commands fit terminals of any width, and name the columns that do not fit") {
  const TemporaryFolder folder;
  const std::vector<std::vector<std::string>> commands = {{"eval", "deepseek-v3", "deepseek-v3-2048xh100", "h100-80g-sxm"},
                                                          {"memory", "llama-3-8b", "llama-3-8b-16xh100", "h100-80g-sxm"},
                                                          {"comm", "llama-3-8b", "llama-3-8b-16xh100", "h100-80g-sxm"},
                                                          {"eval", "deepseek-v3", "deepseek-v3-2048xh100", "h100-80g-sxm", "--only", "kernels"},
                                                          {"eval", "deepseek-v3", "deepseek-v3-2048xh100", "h100-80g-sxm", "--only", "stages"}};
  for (const auto& command : commands) {
    for (const unsigned short columns : {40, 60, 80, 120}) {
      const auto text = on_terminal(folder.path(), columns, "0", command);
      if (!text) return;
      CAPTURE(join(command, " "));
      CAPTURE(columns);
      CAPTURE(*text);
      for (const std::string& line : split(*text, '\n')) {
        if (line.find(kEscape) == std::string::npos) CHECK(width(line.substr(0, line.find('\r'))) <= columns);  // Headings have colors.
      }
      if (command.back() == "kernels") CHECK(text->find("attention_backward") != std::string::npos);
      if (command.back() == "stages") CHECK(text->find("memory") != std::string::npos);
      if (command.back() == "kernels" || command.back() == "stages") CHECK((text->find("not shown: ") != std::string::npos) == (columns < 120));
    }
  }
}

TEST_CASE("what a line has no room for goes: the rate, the best, the time that is left") {
  SearchStatus status{1'489'728, 9'670'848, 0, "sample_rate 433.16 1/s"};
  const std::string whole = "1,489,728 of 9,670,848, 744,864/s, 11 s left, best sample_rate 433.16 1/s";
  CHECK(progress_text(status, 2, whole.size()) == whole);
  CHECK(progress_text(status, 2, whole.size() - 1) == "1,489,728 of 9,670,848, 11 s left, best sample_rate 433.16 1/s");
  CHECK(progress_text(status, 2, 50) == "1,489,728 of 9,670,848, 11 s left");
  CHECK(progress_text(status, 2, 5) == "1,489,728 of 9,670,848");
  status.before = 1'489'728;  // A store had these candidates, so the rate is unknown.
  CHECK(progress_text(status, 2, 80) == "1,489,728 of 9,670,848, best sample_rate 433.16 1/s");
  CHECK(progress_text({100, 0, 0, ""}, 2, 80) == "100 candidates, 50/s");
  const std::pair<std::uint64_t, const char*> lefts[] = {{120, "119 s"}, {601, "10 min"}, {36'001, "10.0 h"}, {864'001, "10.0 days"}};
  for (const auto& [total, left] : lefts) CHECK(progress_text({1, total, 0, ""}, 1, 80).find(std::string(", ") + left + " left") != std::string::npos);
}

}  // namespace opledger
