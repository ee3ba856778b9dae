#pragma once
#include <optional>

#include "run/extensions.h"

/// Corrections of computed times by measured rows. A system names documents of measurements (`corrections`), from which
/// points with the ratio of measured to computed time are derived. Accountings interpolate between points near a size
/// and multiply by the ratio (docs/calibrate.md).
namespace opledger {

/// Returns a copy of the system with the correction points; without the key `corrections`, an unchanged copy. Returns
/// nothing and reports errors if a document or its rows can't be read, or if a row has no computed time. A row that
/// needs a correction but keeps its computed time is an error, too.
std::optional<Document> corrected(const Document& system, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
