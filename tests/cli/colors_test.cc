#include "cli/colors.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <regex>

#include "tests/cli/process.h"
#include "tests/paths.h"

/// Colors appear only on terminals, and text without its colors is unchanged.
namespace opledger {
namespace {

const std::string kHeavy = "\x1b[1m", kPlain = "\x1b[0m";

std::string without_colors(const std::string& text) { return std::regex_replace(text, std::regex("\x1b\\[[0-9;]*m"), ""); }

/// Sets an environment variable during its lifetime; a null value removes the variable.
class EnvironmentVariable {
 public:
  EnvironmentVariable(const char* name, const char* value) : name_(name), before_(std::getenv(name) == nullptr ? "" : std::getenv(name)) { set(value); }
  EnvironmentVariable(const EnvironmentVariable&) = delete;
  EnvironmentVariable& operator=(const EnvironmentVariable&) = delete;
  ~EnvironmentVariable() { set(before_.empty() ? nullptr : before_.c_str()); }

 private:
  void set(const char* value) const { value == nullptr ? ::unsetenv(name_) : ::setenv(name_, value, 1); }
  const char* name_;
  std::string before_;
};

bool on_terminal(const char* term, const char* no_color, const char* requested, int descriptor) {
  const EnvironmentVariable terminal("TERM", term), none("NO_COLOR", no_color);
  return is_colored(requested, descriptor);
}

}  // namespace

TEST_CASE("colors: on a terminal, unless the user does not want them") {
  const int master = open_pseudo_terminal();
  if (master < 0) return;
  const int terminal = ::open(::ptsname(master), O_RDWR | O_NOCTTY);
  const int file = ::open("/dev/null", O_RDWR);
  CHECK(on_terminal("xterm", nullptr, "", terminal));
  CHECK(on_terminal("xterm", "", "auto", terminal));  // An empty NO_COLOR has no effect (no-color.org).
  CHECK(!on_terminal("xterm", "0", "auto", terminal));
  CHECK(!on_terminal("dumb", nullptr, "", terminal));
  CHECK(!on_terminal(nullptr, nullptr, "", terminal));
  CHECK(!on_terminal("xterm", nullptr, "never", terminal));
  CHECK(!on_terminal("xterm", nullptr, "", file));
  CHECK(on_terminal("dumb", "1", "always", file));
  for (const int descriptor : {master, terminal, file}) ::close(descriptor);
}

TEST_CASE("colors: titles, messages and differences") {
  CHECK(color_results("gpt2\n\nTime\n  a  1\n\nnothing below\n") == "gpt2\n\n" + kHeavy + "Time" + kPlain + "\n  a  1\n\nnothing below\n");
  CHECK(color_results("").empty());
  CHECK(color_results("no line") == "no line");
  const std::string message = "m.yaml:3:8: error: unknown key `sed` (did you mean `seq`?)\n    sed: 1\n    ^\n  note: here\n";
  const std::string painted = color_messages(message);
  CHECK(painted.find("m.yaml:3:8: \x1b[1m\x1b[31merror:" + kPlain + " unknown key `sed` (did you mean `\x1b[32mseq" + kPlain + "`?)\n") == 0);
  CHECK(painted.find("    \x1b[32m^" + kPlain + "\n") != std::string::npos);
  CHECK(without_colors(painted) == message);
  CHECK(color_messages("it says: no error: here\n") == "it says: no error: here\n");
  const std::string difference = "  tp         8 ->  4\n  iteration_time   7 s ->  13.5 s     +91.63 %\n";
  CHECK(color_differences(difference) == "  tp         \x1b[31m8" + kPlain + " ->  \x1b[32m4" + kPlain + "\n  iteration_time   \x1b[31m7 s" + kPlain +
                                             " ->  \x1b[32m13.5 s" + kPlain + "     +91.63 %\n");
}

TEST_CASE("colours: with and without them a command says the same, and programs get none") {
  for (const std::string command :
       {"params gpt2", "eval gpt3-175b gpt3-175b-64xa100 a100-80g-sxm", "diff gpt3-175b gpt3-175b-64xa100 a100-80g-sxm --against tp=4 --against dp=2",
        "eval gpt2 sngle a100-80g-sxm", "search --help", "quack"}) {
    CAPTURE(command);
    const Finished plain = run_shell("opledger " + command, source_folder()), painted = run_shell("opledger " + command + " --color always", source_folder());
    CHECK(plain.out + plain.err == without_colors(painted.out + painted.err));
    CHECK((plain.out + plain.err).find('\x1b') == std::string::npos);
    CHECK((painted.out + painted.err).find('\x1b') != std::string::npos);
  }
  CHECK(run_shell("opledger params gpt2 --color always --format json", source_folder()).out.find('\x1b') == std::string::npos);
  CHECK(run_shell("opledger params gpt2 --color sometimes", source_folder()).err.find("`--color` is auto, always, never, not `sometimes`") !=
        std::string::npos);
}

}  // namespace opledger
