#pragma once
#include <filesystem>
#include <string>
#include <string_view>

/// Location of the library that came with the program: its documents, their image and their schemas.
namespace opledger {

/// Returns the folder of the installed or built library: the first that exists; empty without one.
std::filesystem::path shipped_folder();

/// Returns the path of the image (image.h) of a library folder: inside it, or in the build folder for the source tree.
std::filesystem::path image_file(const std::filesystem::path& folder);

/// Returns the text of schemas/KIND.schema.json with descriptions from the shipped library; else the compiled text
/// without descriptions.
std::string described_schema(std::string_view kind);

}  // namespace opledger
