#pragma once
#include <vector>

#include "formulas/link/linker.h"
#include "schemas/library.h"

namespace opledger {

/// Reads `checks` of accountings. All names must be declared. Formulas also see the model's parameters. A later check
/// replaces an earlier one of the same name.
void read_checks(Program& program, Linker& linker, const std::vector<const Document*>& documents, Diagnostics& diagnostics);

/// Reads `commands` of accountings. Metrics must be published already. Reports a role whose name is neither an input
/// nor a metric nor another name.
void read_commands(Program& program, const std::vector<const Document*>& documents, Diagnostics& diagnostics);

}  // namespace opledger
