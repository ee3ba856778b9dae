#pragma once
#include <optional>
#include <string>
#include <vector>

#include "run/documents.h"

/// Documents that words of cases have instead of the run's: `decode: {system: NAME}`, `draft: {model: NAME}`, in accountings, executions and on the command
/// line. What is said later stands in for what was said before; each is found as where it is named finds documents.
namespace opledger {

struct NamedDocument {
  std::string word, role, name;  ///< `role`: model or system; `name`: as it was asked for.
  const Document* document = nullptr;
  Span span;
};

/// Empty, with errors, if one can't be read.
std::optional<std::vector<NamedDocument>> load_case_documents(const RunRequest& request, const RunDocuments& documents, Library& library,
                                                              Diagnostics& diagnostics);

}  // namespace opledger
