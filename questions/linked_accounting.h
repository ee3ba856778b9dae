#pragma once
#include <optional>
#include <string>

#include "formulas/program.h"
#include "run/sources.h"

/// An accounting linked without a run: its inputs and published names.
namespace opledger {

/// Documents and program of an accounting.
struct LinkedAccounting {
  std::string name;
  Sources sources;
  std::optional<Program> program;
};

/// Links the accounting with this name or path; empty: the default accounting of executions. Returns false, with
/// errors, if it can't be read.
bool link_accounting(const std::string& name, Library& library, LinkedAccounting& out, Diagnostics& diagnostics);

/// Returns a value as one line of YAML in flow style.
std::string flow(const Datum& datum);

}  // namespace opledger
