#pragma once
#include <optional>
#include <string>

#include "formulas/program.h"
#include "run/sources.h"

/// An accounting linked without a run: its inputs and published names.
namespace opledger {

/// Documents and program of an accounting.
struct LinkedAccounting {
  std::string name;                ///< Name or path under which the accounting was loaded.
  Sources sources;                 ///< Documents of the accounting, and of all accountings that it uses.
  std::optional<Program> program;  ///< Linked formulas; empty until `link_accounting` succeeds.
};

/// Links the accounting with this name or path into `out`; an empty name means the default accounting of executions.
/// Returns false, with errors, if a document can't be read or a formula can't be linked.
bool link_accounting(const std::string& name, Library& library, LinkedAccounting& out, Diagnostics& diagnostics);

/// Returns a value as one line of YAML in flow style.
std::string flow(const Datum& datum);

}  // namespace opledger
