#include "schemas/kinds.h"

#include "base/lists.h"

namespace opledger {

const DocumentKind* find_kind(std::string_view name) {
  for (const DocumentKind& kind : kDocumentKinds) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

std::vector<std::string> kind_names() { return names_of(kDocumentKinds); }

}  // namespace opledger
