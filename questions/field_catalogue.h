#pragma once
#include <memory>
#include <string>
#include <vector>

#include "questions/linked_accounting.h"

/// The keys that executions, stacks and systems may have, as declared by accountings, rules, operators and models.
namespace opledger {

/// A key of a document and its type.
struct DocumentField {
  std::string name;
  Type type;  ///< Declared type, with unit, default and documentation.
};

/// The keys that an accounting reads.
struct AcceptedFields {
  LinkedAccounting accounting;           ///< The accounting; the types of the fields refer to its program.
  std::vector<DocumentField> execution;  ///< Inputs of the accounting, and of rules and operators on the search path; `mesh_order`.
  std::vector<DocumentField> system;     ///< Fields of a system; empty if the accounting reads none or accepts any.
  std::vector<std::string> reports;      ///< Names of the accounting's reports.
};

/// Returns the keys that an accounting accepts; `name` as for `link_accounting`. Null, with errors, if the accounting
/// can't be read.
std::unique_ptr<AcceptedFields> accepted_fields(const std::string& name, Library& library, Diagnostics& diagnostics);

/// Returns the accountings on the search path with reports, which executions may name.
std::vector<std::string> whole_accountings(Library& library);

/// Returns the parameters of all models and documents of blocks on the search path, which executions may override;
/// sorted, without duplicates.
std::vector<std::string> model_parameters(Library& library);

/// Returns the names at `key` of `section` in the accountings on the search path, for example marks of nodes.
std::vector<std::string> declared_names(std::string_view section, std::string_view key, Library& library);

}  // namespace opledger
