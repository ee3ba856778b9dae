#pragma once
#include <optional>
#include <string>

#include "run/sources.h"

/// A document of another tool, which says no `kind`: what it is follows from its fields, which an accounting declares under `documents`.
namespace opledger {

struct Foreign {
  const Document* document = nullptr;
  std::string role;                 ///< `model`, `execution`, `system`: the one that has most of its fields.
  const Datum* declared = nullptr;  ///< That one's fields, in the accounting's order.

  const Datum& field(const char* name) const { return *document->root.find(name); }  ///< All declared fields are there.
};

/// A file without a `kind`. Null, with errors, if it can't be read or is a document of opledger already.
const Document* load_kindless(const std::string& file, Library& library, Diagnostics& diagnostics);

/// Empty, with errors, if the file can't be read, fits no role, has other fields or lacks some, or if a value is not of the declared type.
std::optional<Foreign> load_foreign(const std::string& file, const std::string& accounting, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
