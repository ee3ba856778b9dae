#pragma once
#include <optional>
#include <string>
#include <vector>

#include "report/json_value.h"
#include "schemas/library.h"

/// JSON Schema (draft-07) of documents, for editors. The schemas that check documents are extended by the fields that
/// accountings declare and by the names in the library. Types follow YAML as editors parse it.
namespace opledger {

struct EditorSchemaRequest {
  std::vector<std::string> kinds;  ///< Kinds of documents; with several, the key `kind` selects the schema.
  std::string accounting;          ///< Accounting whose inputs executions and stacks accept; empty: the accounting named by the document.
  bool only_these = false;         ///< True if names of documents must be in the library (or be paths).
};

/// Returns the schema as text. Executions and stacks get the inputs of their accounting, the inputs of the library's
/// rules and operators, and parameters of its models. Systems get the fields read by the default accounting. Unreadable
/// accountings on the search path are left out with a warning. Returns nothing, with errors, if `accounting` is
/// unreadable.
std::optional<std::string> editor_schema(const EditorSchemaRequest& request, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
