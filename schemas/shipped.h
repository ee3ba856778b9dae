#pragma once
#include <filesystem>
#include <string>
#include <string_view>

/// Location of the library that came with the program.
namespace opledger {

/// Returns the folder of the installed or built library; empty without one.
std::filesystem::path shipped_folder();

/// Returns the path of the folder's image: inside it, or in the build folder.
std::filesystem::path image_file(const std::filesystem::path& folder);

/// Returns the text of schemas/KIND.schema.json with descriptions from the shipped library; else the compiled text
/// without descriptions.
std::string described_schema(std::string_view kind);

}  // namespace opledger
