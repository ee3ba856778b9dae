#pragma once
#include <optional>
#include <string>
#include <vector>

#include "run/documents.h"

/// Documents at words of cases that replace the run's documents: `decode: {system: NAME}`, `draft: {model: NAME}`.
/// Accountings, executions and the command line may state them; a later entry replaces an earlier one. Relative paths
/// are resolved from the stating document.
namespace opledger {

/// A document at a word of cases.
struct NamedDocument {
  std::string word, role, name;  ///< `role`: model or system; `name`: as written.
  const Document* document = nullptr;
  Span span;
};

/// Loads the documents at words of cases. Empty, with errors, if a document can't be read.
std::optional<std::vector<NamedDocument>> load_case_documents(const RunRequest& request, const RunDocuments& documents, Library& library,
                                                              Diagnostics& diagnostics);

}  // namespace opledger
