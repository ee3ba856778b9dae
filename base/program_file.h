#pragma once
#include <filesystem>

namespace opledger {

/// Returns the file of the running program, without symbolic links; empty if the system does not tell. Its folder leads
/// to the files that were installed with the program.
std::filesystem::path program_file();

}  // namespace opledger
