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
  std::string accounting;          ///< Accounting whose inputs executions and stacks accept, and whose fields systems have; empty: see `editor_schema`.
  bool only_these = false;         ///< True if names of documents must be in the library (or be paths).
};

/// Returns the schema as text. Executions and stacks get the inputs of `accounting`, the inputs of the library's rules
/// and operators, and parameters of its models. If `accounting` is empty, they get the inputs of the accounting that
/// the document names, or else of the default accounting. Systems get the fields that `accounting` reads, or the
/// default accounting if it is empty, and below `for` the fields of the other accountings. Unreadable accountings on
/// the search path are left out with a warning. Returns nothing, with errors, if `accounting`, or the default
/// accounting, is unreadable.
std::optional<std::string> editor_schema(const EditorSchemaRequest& request, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
