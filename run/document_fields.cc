#include "run/document_fields.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "base/lists.h"
#include "base/text.h"

namespace opledger {

bool structural_key(std::string_view key) {
  constexpr std::string_view kKeys[] = {"kind",  "name",       "doc",   "source",  "uses", "mesh", "mesh_orders",
                                        "rules", "accounting", "stack", "extends", "for",  "cases"};
  return std::find(std::begin(kKeys), std::end(kKeys), key) != std::end(kKeys);
}

const Datum* declared_fields(const std::vector<const Document*>& accounting, std::string_view role) {
  const Datum* found = nullptr;
  for (const Document* document : accounting) {
    const Datum* all = document->kind == "accounting" ? document->root.find("documents") : nullptr;
    if (all != nullptr && all->find(role) != nullptr) found = all->find(role);
  }
  return found;
}

bool check_fields(const Document& document, const Datum& declared, Diagnostics& diagnostics) {
  const std::size_t errors = diagnostics.errors();
  const std::vector<std::string> known = names_of(declared.entries());
  for (const auto& [key, _] : document.root.entries()) {
    if (declared.find(key.text()) == nullptr)
      diagnostics.error(key.span(), fmt::format("unknown field `{}`{}", key.text(), known_names(key.text(), "fields", known)));
  }
  for (const std::string& field : known) {
    if (document.root.find(field) == nullptr) diagnostics.error(document.root.span(), fmt::format("missing field `{}`", field));
  }
  return diagnostics.errors() == errors;
}

bool check_role(const Document& document, const char* role, const std::vector<const Document*>& accounting, const std::string& accounting_name,
                Diagnostics& diagnostics) {
  if (!document.kind.empty()) return true;
  if (const Datum* declared = declared_fields(accounting, role)) return check_fields(document, *declared, diagnostics);
  diagnostics.error(document.root.span(),
                    fmt::format("this document doesn't say its `kind`, and the accounting `{}` knows no {} without one", accounting_name, role));
  return false;
}

const Datum* fields_for(const Document& document, const std::vector<const Document*>& accounting) {
  const Datum* all = document.root.find("for");
  const Datum* found = nullptr;
  for (const Document* part : accounting) {
    if (all != nullptr && all->find(part->name) != nullptr) found = all->find(part->name);
  }
  return found;
}

Datum system_fields(const Document& system, const std::vector<const Document*>& accounting) {
  const Datum* own = fields_for(system, accounting);
  const Datum* known = declared_fields(accounting, "system");
  std::vector<Datum::Entry> entries;
  if (own != nullptr) entries = own->entries();
  for (const Datum::Entry& entry : system.root.entries()) {
    const std::string& key = entry.first.text();
    const bool is_read = own == nullptr || (own->find(key) == nullptr && known != nullptr && known->find(key) != nullptr);
    if (is_read && key != "for") entries.push_back(entry);
  }
  return Datum::map(std::move(entries), system.root.span());
}

Span place_of_setting(const std::string& key, const std::string& value) {
  const auto file = std::make_shared<const SourceFile>("--set", key + "=" + value);
  return {file, 1, static_cast<std::uint32_t>(key.size() + 2)};
}

}  // namespace opledger
