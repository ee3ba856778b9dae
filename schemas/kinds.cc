#include "schemas/kinds.h"

namespace opledger {

const DocumentKind* find_kind(std::string_view name) {
  for (const DocumentKind& kind : kDocumentKinds) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const DocumentKind& kind : kDocumentKinds) names.emplace_back(kind.name);
  return names;
}

}  // namespace opledger
