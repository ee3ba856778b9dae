#include <cstdio>
#include <fstream>

#include "expr/parsed.h"
#include "schemas/image.h"

namespace opledger {
namespace {

void add_texts(const Datum& datum, std::vector<std::string>& out) {
  if (datum.is_scalar()) out.push_back(datum.text());
  for (const Datum& item : datum.items()) add_texts(item, out);
  for (const auto& [_, value] : datum.entries()) add_texts(value, out);
}

/// Any text may be one.
std::string formulas_of(const Datum& root) {
  std::vector<std::string> texts;
  add_texts(root, texts);
  return encode_formulas(texts);
}

}  // namespace
}  // namespace opledger

/// FOLDER FILE: writes the image of the library in FOLDER. A step of the build, in the lowest folder that knows both documents and formulas.
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
