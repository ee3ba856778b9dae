#pragma once
#include <optional>
#include <string>

#include "formulas/program.h"
#include "run/sources.h"

/// An accounting without a run: what it reads and what it publishes.
namespace opledger {

struct LinkedAccounting {
  std::string name;
  Sources sources;
  std::optional<Program> program;
};

/// `named`: by name or path; empty: the one that executions have by default. False, with errors, if it can't be read.
bool link_accounting(const std::string& named, Library& library, LinkedAccounting& out, Diagnostics& diagnostics);

/// As a document may write it in a line.
std::string flow(const Datum& datum);

}  // namespace opledger
