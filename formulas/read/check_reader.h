#pragma once
#include <vector>

#include "formulas/link/linker.h"
#include "schemas/library.h"

namespace opledger {

/// `checks` of accountings. Formulas see the model's parameters too. A check of a later document replaces the one of its name. All names must be declared.
void read_checks(Program& program, Linker& linker, const std::vector<const Document*>& documents, Diagnostics& diagnostics);

/// `commands` of accountings: each name must be an input, a metric or another name. Metrics must be published.
void read_commands(Program& program, const std::vector<const Document*>& documents, Diagnostics& diagnostics);

}  // namespace opledger
