#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

/// Documents that state another name than that of their file.
namespace opledger {

/// Returns the file directly in one of the folders whose document is of one of the kinds and states a name; empty
/// without one. Lines are compared and nothing is parsed, because any file may lie there. Each folder has a limit of
/// files.
std::filesystem::path file_stating(std::string_view name, const std::vector<std::string>& kinds, const std::vector<std::filesystem::path>& folders);

}  // namespace opledger
