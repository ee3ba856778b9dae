#pragma once
#include <string>

/// Where this build's files are. Only tests/paths.cc is compiled anew where the tree lies elsewhere.
namespace opledger {

std::string source_folder();
std::string program_path();  ///< build/opledger

}  // namespace opledger
