#pragma once
#include <string>

/// Paths of this build's files. Only tests/paths.cc is compiled again if the tree is moved.
namespace opledger {

std::string source_folder();
std::string program_path();  ///< build/opledger

}  // namespace opledger
