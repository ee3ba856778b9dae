#pragma once
#include "import/mapping.h"

namespace opledger {

/// Checks a mapping without a config: links its formulas, checks their units, and looks up the blocks, keys, fields
/// and marks named in it.
void check_mapping(const Document& document, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
