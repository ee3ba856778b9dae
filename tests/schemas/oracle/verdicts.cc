// Reads paths of documents from standard input, one per line, and writes the checker's verdict for each: `good` or
// `bad`. Used by oracle.py.
#include <iostream>
#include <string>

#include "schemas/checker.h"
#include "schemas/document.h"

int main() {
  std::string path;
  while (std::getline(std::cin, path)) {
    opledger::Diagnostics diagnostics;
    const auto source = opledger::read_source(path, diagnostics);
    auto root = source ? opledger::parse_document(source, diagnostics) : std::nullopt;
    const opledger::Datum* kind = root ? root->find("kind") : nullptr;
    if (kind) check_schema(kind->text(), *root, diagnostics);
    std::cout << (kind && !diagnostics.has_errors() ? "good" : "bad") << "\n";
  }
}
