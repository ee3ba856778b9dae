#pragma once
#include <filesystem>
#include <string>

/// Runs the program as a user does.
namespace opledger {

struct Finished {
  int status = -1;  ///< Exit status; -1 after a signal.
  std::string out, err;
};

/// Runs a shell command in `folder`; `opledger` is the program under test. The user's own documents are not on the
/// search path.
Finished run_shell(const std::string& command, const std::filesystem::path& folder);

/// Returns a text with the paths of the source tree and of `folder` replaced by `LIBRARY` and `DIR`.
std::string masked(std::string text, const std::filesystem::path& folder);

/// Returns the controlling side of a new pseudo-terminal; -1 if the system has none, with a message that skips the test.
int open_pseudo_terminal();

/// Returns whether /proc describes the processes; false with a message that skips the test.
bool has_process_files();

std::string read_file(const std::filesystem::path& path);

}  // namespace opledger
