#pragma once
#include <string>

namespace opledger {

/// Adds a first line that names the schema of a document to editors with yaml-language-server. Other readers see a
/// comment. The schema is the nearest `.opledger/opledger.schema.json` in a folder above the document, by its
/// relative path, or else the schema installed with the program. Without either, the text is returned unchanged.
/// `output` is the path of the document; empty or `-` means standard output and the current folder.
std::string with_modeline(std::string text, const std::string& output);

}  // namespace opledger
