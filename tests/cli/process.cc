#include "tests/cli/process.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "tests/paths.h"
#include "tests/schemas/temporary_folder.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

void redirect(int descriptor, const fs::path& file) {
  const int opened = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  ::dup2(opened, descriptor);
  ::close(opened);
}

[[noreturn]] void become(const std::string& command, const fs::path& folder, const TemporaryFolder& scratch) {
  redirect(STDOUT_FILENO, scratch.path() / "out");
  redirect(STDERR_FILENO, scratch.path() / "err");
  const std::string path = scratch.path().string() + ":" + std::getenv("PATH");
  ::setenv("PATH", path.c_str(), 1);
  ::setenv("HOME", "/nonexistent", 1);
  ::unsetenv("XDG_CONFIG_HOME");
  ::unsetenv("OPLEDGER_PATH");
  if (::chdir(folder.c_str()) == 0) ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
  ::_exit(127);
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) text.replace(at, from.size(), to);
}

}  // namespace

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

Finished run_shell(const std::string& command, const fs::path& folder) {
  const TemporaryFolder scratch;
  fs::create_symlink(program_path(), scratch.path() / "opledger");
  const pid_t child = ::fork();
  if (child == 0) become(command, folder, scratch);
  int status = 0;
  ::waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(scratch.path() / "out"), read_file(scratch.path() / "err")};
}

bool has_process_files() {
  const bool has = fs::exists("/proc/self/status");
  if (!has) MESSAGE("skipped: there is no /proc; `mount -t proc proc /proc` provides it");
  return has;
}

int open_pseudo_terminal() {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  const char* const name = terminal >= 0 && ::grantpt(terminal) == 0 && ::unlockpt(terminal) == 0 ? ::ptsname(terminal) : nullptr;
  if (name != nullptr && ::access(name, R_OK | W_OK) == 0) return terminal;  // A bare chroot has /dev/ptmx and no /dev/pts.
  if (terminal >= 0) ::close(terminal);
  MESSAGE("skipped: there is no pseudo-terminal; `mount -t devpts devpts /dev/pts` provides them");
  return -1;
}

std::string masked(std::string text, const fs::path& folder) {
  replace_all(text, folder.string(), "DIR");
  replace_all(text, source_folder(), "LIBRARY");
  return text;
}

}  // namespace opledger
