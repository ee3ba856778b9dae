#pragma once
#include <vector>

#include "formulas/program.h"
#include "schemas/library.h"

/// Reader of the section `views`, the drawings of a page.
namespace opledger {

/// Reads `views` of accountings into Program::views. Reports unknown tables, columns, reports and metrics, wrong keys
/// of a drawing, and a second drawing of the graph. A later view replaces an earlier one of the same name. Tables and
/// reports must be read, and metrics published, before.
void read_views(Program& program, const std::vector<const Document*>& documents, Diagnostics& diagnostics);

}  // namespace opledger
