#pragma once
#include <memory>
#include <string>
#include <vector>

#include "questions/linked_accounting.h"

/// The keys that executions, stacks and systems may have, by what accountings, rules, operators and models declare.
namespace opledger {

struct DocumentField {
  std::string name;
  Type type;
};

/// What an accounting reads.
struct AcceptedFields {
  LinkedAccounting accounting;
  std::vector<DocumentField> execution;  ///< Its inputs, and those that rules and operators on the search path bring.
  std::vector<DocumentField> system;     ///< Empty: it reads none, or any.
  std::vector<std::string> reports;
};

/// Null, with errors, if the accounting can't be read. `named` as for `link_accounting`.
std::unique_ptr<AcceptedFields> accepted_fields(const std::string& named, Library& library, Diagnostics& diagnostics);

/// Accountings on the search path that executions may name: those that report something.
std::vector<std::string> whole_accountings(Library& library);

/// Parameters of all models on the search path: executions may replace them.
std::vector<std::string> model_parameters(Library& library);

/// Names that accountings on the search path have at `key` of `section`: the marks of nodes, for one.
std::vector<std::string> declared_names(std::string_view section, std::string_view key, Library& library);

}  // namespace opledger
