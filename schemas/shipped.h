#pragma once
#include <filesystem>
#include <string>
#include <string_view>

/// What came with the program.
namespace opledger {

/// The library of documents that was installed or built with it; empty: there is none.
std::filesystem::path shipped_folder();

/// Where that folder's image is (schemas/image.h): in it, or where it was built.
std::filesystem::path image_file(const std::filesystem::path& folder);

/// schemas/KIND.schema.json of that library, with its descriptions; without a library the text that is compiled in, which has none.
std::string described_schema(std::string_view kind);

}  // namespace opledger
