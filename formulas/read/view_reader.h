#pragma once
#include <vector>

#include "formulas/program.h"
#include "schemas/library.h"

namespace opledger {

/// Reads `views` of accountings. Reports unknown tables, columns, reports and metrics. A later view replaces an earlier
/// one of the same name.
void read_views(Program& program, const std::vector<const Document*>& documents, Diagnostics& diagnostics);

}  // namespace opledger
