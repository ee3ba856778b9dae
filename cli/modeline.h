#pragma once
#include <string>

namespace opledger {

/// A document with a first line that names its schema to editors with yaml-language-server: a comment to all others. That is the nearest `.opledger/opledger.schema.json` of the
/// folders above the document, by its relative path; else the one that was installed with the program; without either the text stays as it is. `output`: where it is written;
/// empty or `-`: standard output, as if to a file here.
std::string with_modeline(std::string text, const std::string& output);

}  // namespace opledger
