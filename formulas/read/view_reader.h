#pragma once
#include <vector>

#include "formulas/program.h"
#include "schemas/library.h"

namespace opledger {

/// `views` of accountings: reports, tables, columns and metrics that they name must be there. Of views of one name the newest document's counts.
void read_views(Program& program, const std::vector<const Document*>& documents, Diagnostics& diagnostics);

}  // namespace opledger
