#pragma once
#include <filesystem>
#include <string>

/// Runs the program as a user does.
namespace opledger {

struct Finished {
  int status = -1;  ///< Exit status; -1: it was ended by a signal.
  std::string out, err;
};

/// A shell's command line, run in `folder`; `opledger` in it is the program that was built. No documents of the user's own are on the search path.
Finished run_shell(const std::string& command, const std::filesystem::path& folder);

/// `text` with the places of the source tree and of `folder` as `LIBRARY` and `DIR`.
std::string masked(std::string text, const std::filesystem::path& folder);

std::string read_file(const std::filesystem::path& path);

}  // namespace opledger
