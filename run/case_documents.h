#pragma once
#include <optional>
#include <string>
#include <vector>

#include "run/documents.h"

/// Documents at words of cases that replace the run's documents: `decode: {system: NAME}`, `draft: {model: NAME}`.
/// Accountings, executions, the command line and tables may state them; a later entry replaces an earlier one. Relative
/// paths are resolved from the stating document.
namespace opledger {

/// A document that replaces a document of the run at one word of cases.
struct NamedDocument {
  std::string word, role, name;        ///< `role`: model or system; `name`: as written.
  const Document* document = nullptr;  ///< The loaded document, owned by the library.
  Span span;                           ///< Position of the name.
};

/// Loads the documents at words of cases; an empty name removes an entry. Returns nothing, with errors, if an entry is
/// no name or a document can't be read.
std::optional<std::vector<NamedDocument>> load_case_documents(const RunRequest& request, const RunDocuments& documents, Library& library,
                                                              Diagnostics& diagnostics);

}  // namespace opledger
