#include <cstdio>
#include <fstream>

#include "expr/parsed.h"
#include "schemas/image.h"

namespace opledger {
namespace {

/// Appends every scalar of a document, at any depth.
void add_texts(const Datum& datum, std::vector<std::string>& out) {
  if (datum.is_scalar()) out.push_back(datum.text());
  for (const Datum& item : datum.items()) add_texts(item, out);
  for (const auto& [_, value] : datum.entries()) add_texts(value, out);
}

/// Returns the serialized formulas of a document. Any text may be a formula, so all are tried.
std::string formulas_of(const Datum& root) {
  std::vector<std::string> texts;
  add_texts(root, texts);
  return encode_formulas(texts);
}

}  // namespace
}  // namespace opledger

/// Writes the image of the library in a folder, a file with its parsed documents and formulas. Arguments: `FOLDER FILE`. The
/// program is a build step, in the lowest folder that depends on both documents and formulas. Exit status: 0; 1
/// if the file can't be written; 2 for wrong arguments.
int main(int count, char** words) {
  if (count != 3) return 2;
  std::vector<opledger::ImagedDocument> documents;
  for (const opledger::Datum& root : opledger::good_documents(words[1])) documents.push_back({root, opledger::formulas_of(root)});
  std::ofstream file(words[2], std::ios::binary);
  file << opledger::make_image(documents);
  file.close();
  if (!file.fail()) return 0;
  std::perror(words[2]);
  return 1;
}
