#pragma once
#include <vector>

#include "formulas/link/linker.h"
#include "schemas/library.h"

namespace opledger {

/// Reads constraints, tables, comparisons and reports of accountings. All names must be declared. A later table or
/// report replaces an earlier one of the same name; constraints add up.
void read_sections(Program& program, Linker& linker, const std::vector<const Document*>& documents, Diagnostics& diagnostics);

}  // namespace opledger
