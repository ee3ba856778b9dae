// Collects the documents of an image.
#include <set>
#include <system_error>

#include "schemas/checker.h"
#include "schemas/document.h"
#include "schemas/image.h"
#include "schemas/kinds.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

/// Returns the documents in the folders of all kinds. Folders may be nested, so paths are collected in a set.
std::set<fs::path> documents_in(const fs::path& folder) {
  std::set<fs::path> out;
  for (const DocumentKind& kind : kDocumentKinds) {
    std::error_code error;
    for (fs::recursive_directory_iterator entry(folder / kind.folder, error), end; !error && entry != end; entry.increment(error)) {
      if (entry->path().extension() == ".yaml") out.insert(entry->path());
    }
  }
  return out;
}

}  // namespace

/// Parses and checks every document; a document with an error or a warning is left out, as its use reports it.
std::vector<Datum> good_documents(const fs::path& folder) {
  std::vector<Datum> out;
  for (const fs::path& path : documents_in(folder)) {
    Diagnostics ignored;
    const std::shared_ptr<const SourceFile> source = read_source(path, ignored);
    std::optional<Datum> root = source != nullptr ? parse_document(source, ignored) : std::nullopt;
    const Datum* const kind = root ? root->find("kind") : nullptr;
    if (kind != nullptr && find_kind(kind->text()) != nullptr) check_schema(kind->text(), *root, ignored);
    if (root && ignored.all().empty()) out.push_back(std::move(*root));
  }
  return out;
}

}  // namespace opledger
