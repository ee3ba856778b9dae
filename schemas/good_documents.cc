// What an image is made of.
#include <set>
#include <system_error>

#include "schemas/checker.h"
#include "schemas/document.h"
#include "schemas/image.h"
#include "schemas/kinds.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

/// In the folders of all kinds, some of which are within others.
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

std::vector<Datum> good_documents(const fs::path& folder) {
  std::vector<Datum> out;
  for (const fs::path& path : documents_in(folder)) {
    Diagnostics said;
    const std::shared_ptr<const SourceFile> source = read_source(path, said);
    std::optional<Datum> root = source != nullptr ? parse_document(source, said) : std::nullopt;
    const Datum* const kind = root ? root->find("kind") : nullptr;
    if (kind != nullptr && find_kind(kind->text()) != nullptr) check_schema(kind->text(), *root, said);
    if (root && said.all().empty()) out.push_back(std::move(*root));  // what is wrong with the others is told when they are asked for
  }
  return out;
}

}  // namespace opledger
