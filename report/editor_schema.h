#pragma once
#include <optional>
#include <string>
#include <vector>

#include "report/json_value.h"
#include "schemas/library.h"

/// JSON Schema (draft-07) of documents, for editors: the schemas that documents are checked against, with what accountings declare and what there is by name. Unlike those it
/// is of YAML as parsers for editors read it.
namespace opledger {

struct EditorSchemaRequest {
  std::vector<std::string> kinds;  ///< Of several: a document says by `kind` which one it is.
  std::string accounting;          ///< Of executions and stacks that name none, whatever they name: of this one. Empty: by what they name.
  bool only_these = false;         ///< Names of documents are those that are there, and paths.
};

/// Executions and stacks have the inputs of their accounting, those that rules and operators of the library add, and parameters of its models; systems what the usual accounting
/// reads. Documents of the search path that can't be read are left out, with warnings. Empty, with errors, if `accounting` can't be read.
std::optional<std::string> editor_schema(const EditorSchemaRequest& request, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
