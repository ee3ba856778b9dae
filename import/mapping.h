#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/library.h"

/// A document of kind `import` and all documents that it uses, merged key by key. Five subjects each have a struct and a reader of their own: family_mapping.h,
/// launch_mapping.h, export_mapping.h, quantisation_mapping.h, checkpoint/checkpoint_names.h. docs/import.md describes the keys.
namespace opledger {

struct Mapping {
  const Document* document = nullptr;  ///< The document that was requested.
  std::vector<const Datum*> parts;     ///< The root of each document, or the same section of each; a document follows all that it uses.

  std::string name() const { return document->name; }
  Mapping below(std::string_view key) const;  ///< The section under `key`, of each part that has it.
  Datum last(std::string_view key) const;     ///< The value in the last part that has the key; null if no part has it.
  Datum section(std::string_view key) const;  ///< The entries below `key` in all parts; a later entry takes the place of an earlier one of its name.
  std::vector<std::string> texts(std::string_view key) const;  ///< The texts below `key` in all parts, in order.
};

/// Returns nothing, with errors, if a used document can't be loaded.
std::optional<Mapping> load_mapping(const Document& document, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
