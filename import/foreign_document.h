#pragma once
#include <optional>
#include <string>

#include "run/sources.h"

/// A document of another tool without the key `kind`. An accounting declares the fields of such documents below
/// `documents`; the fields show which role a document has.
namespace opledger {

/// A loaded document and its role.
struct ForeignDocument {
  const Document* document = nullptr;  ///< The document, owned by the library.
  std::string role;                    ///< `model`, `execution` or `system`: the role with most of the document's fields.
  const Datum* declared = nullptr;     ///< Fields of the role, in the accounting's order.

  /// Returns the value of a declared field. Every declared field is present.
  const Datum& field(const char* name) const { return *document->root.find(name); }
};

/// Loads a file without a `kind`; the library owns the document. Returns null and reports errors if the file can't be
/// read, or if it is a document of opledger already.
const Document* load_kindless(const std::string& file, Library& library, Diagnostics& diagnostics);

/// Loads a document of another tool and checks it against the fields that `accounting` declares. Returns nothing and
/// reports errors if the file can't be read or fits no role. Missing fields, further fields and values of a wrong
/// type are errors, too.
std::optional<ForeignDocument> load_foreign_document(const std::string& file, const std::string& accounting, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
