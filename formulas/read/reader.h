#pragma once
#include <optional>

#include "formulas/program.h"
#include "formulas/read/program_sources.h"

/// Documents to a linked program.
namespace opledger {

/// Null, with errors, if something does not fit together.
std::optional<Program> link_program(const ProgramSources& sources, Diagnostics& diagnostics);

}  // namespace opledger
