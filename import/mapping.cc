#include "import/mapping.h"

#include <algorithm>

namespace opledger {

Mapping Mapping::subsection(std::string_view key) const {
  Mapping out{document, {}};
  for (const Datum* part : parts) {
    if (const Datum* section = part->find(key)) out.parts.push_back(section);
  }
  return out;
}

Datum Mapping::last_value(std::string_view key) const {
  const std::vector<const Datum*> values = subsection(key).parts;
  return values.empty() ? Datum() : *values.back();
}

Datum Mapping::merged_section(std::string_view key) const {
  std::vector<Datum::Entry> all;
  for (const Datum* section : subsection(key).parts) {
    for (const Datum::Entry& entry : section->entries()) {
      const auto same = std::find_if(all.begin(), all.end(), [&](const Datum::Entry& other) { return other.first.text() == entry.first.text(); });
      if (same == all.end()) {
        all.push_back(entry);
      } else {
        *same = entry;
      }
    }
  }
  return Datum::map(std::move(all), document->root.span());
}

std::vector<std::string> Mapping::all_texts(std::string_view key) const {
  std::vector<std::string> out;
  for (const Datum* part : parts) {
    for (std::string& text : part->texts(key)) out.push_back(std::move(text));
  }
  return out;
}

std::vector<Datum> Mapping::all_items(std::string_view key) const {
  std::vector<Datum> out;
  for (const Datum* list : subsection(key).parts) out.insert(out.end(), list->items().begin(), list->items().end());
  return out;
}

std::optional<Mapping> load_mapping(const Document& document, Library& library, Diagnostics& diagnostics) {
  const std::size_t errors = diagnostics.errors();
  const auto documents = library.closure(document, {"uses"}, {"import"}, diagnostics);
  if (diagnostics.errors() > errors || documents.empty()) return std::nullopt;
  Mapping mapping{&document, {}};
  for (const Document* part : documents) mapping.parts.push_back(&part->root);
  return mapping;
}

}  // namespace opledger
