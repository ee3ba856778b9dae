#pragma once
#include <vector>

#include "formulas/link/linker.h"
#include "schemas/library.h"

/// Reader of the sections of accountings that define no names.
namespace opledger {

/// Reads constraints, tables, comparisons (`compares`) and reports of accountings into the program. All names must be
/// declared. A later table, report or compared metric replaces an earlier one of the same name; constraints add up.
/// Reports errors and leaves out only the faulty part.
void read_sections(Program& program, Linker& linker, const std::vector<const Document*>& documents, Diagnostics& diagnostics);

}  // namespace opledger
