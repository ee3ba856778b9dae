#pragma once
#include <vector>

#include "formulas/link/linker.h"
#include "schemas/library.h"

namespace opledger {

/// Reads what accountings have besides names: constraints, tables, comparisons, reports. All names must be declared. A table or report of a later document
/// replaces the one of its name; constraints add up.
void read_sections(Program& program, Linker& linker, const std::vector<const Document*>& documents, Diagnostics& diagnostics);

}  // namespace opledger
