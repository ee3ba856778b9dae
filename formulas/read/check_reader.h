#pragma once
#include <vector>

#include "formulas/link/linker.h"
#include "schemas/library.h"

/// Readers of the sections `checks` and `commands`.
namespace opledger {

/// Reads `checks` of accountings into Program::checks. All names must be declared. Formulas also see the model's
/// parameters. A later check replaces an earlier one of the same name.
void read_checks(Program& program, Linker& linker, const std::vector<const Document*>& documents, Diagnostics& diagnostics);

/// Reads `commands` of accountings into Program::commands: for each command, its roles, such as `objective`, and the
/// input or metric that plays each role. Metrics must be published already. Reports names that are no metric, input or
/// other global name. A later document replaces single roles.
void read_commands(Program& program, const std::vector<const Document*>& documents, Diagnostics& diagnostics);

}  // namespace opledger
