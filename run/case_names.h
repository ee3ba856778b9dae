#pragma once
#include <vector>

#include "formulas/program.h"
#include "schemas/library.h"

/// Names that accountings give other values under `cases`. The reader of cases passes over a name that this run lacks, because another model may have it; this check
/// reports names that no run has.
namespace opledger {

/// Checks the accountings that did not come with the program. `program` is linked from them. False, with errors: a name means nothing.
bool check_case_names(const std::vector<const Document*>& accounting, const Program& program, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
