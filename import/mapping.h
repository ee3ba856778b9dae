#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/library.h"

/// A document of kind `import`, merged key by key with all documents that it uses. Each of its five subjects has a
/// struct and a reader in a file of its own: `family_mapping`, `launch_mapping`, `export_mapping`,
/// `quantization_mapping`, `checkpoint/checkpoint_names`. docs/import.md describes the keys.
namespace opledger {

/// The documents of a mapping, or one section of each. Every accessor merges all parts.
struct Mapping {
  const Document* document = nullptr;  ///< The requested document.
  std::vector<const Datum*> parts;     ///< The root of each document, or the same section of each; a document comes after all documents that it uses.

  std::string name() const { return document->name; }
  Mapping subsection(std::string_view key) const;  ///< Returns the section under `key` of each part with the key.
  Datum last_value(std::string_view key) const;    ///< Returns the value in the last part with the key; null if no part has the key.
  /// Returns the entries below `key` of all parts. A later entry replaces an earlier entry of the same name in place.
  Datum merged_section(std::string_view key) const;
  std::vector<std::string> all_texts(std::string_view key) const;  ///< Returns the texts below `key` of all parts, in order.
  std::vector<Datum> all_items(std::string_view key) const;        ///< Returns the items of the lists below `key` of all parts, in order.
};

/// Loads the used documents and collects the parts. Returns nothing and reports errors if a document can't be loaded.
std::optional<Mapping> load_mapping(const Document& document, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
