#pragma once
#include "import/mapping.h"

/// The check of a mapping by the command `validate`.
namespace opledger {

/// Checks a mapping without a config and reports problems as errors. A mapping that does not link is checked no
/// further. The check links the mapping's formulas, checks their units, and looks up the blocks, keys, fields and marks
/// that the mapping names.
void check_mapping(const Document& document, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
