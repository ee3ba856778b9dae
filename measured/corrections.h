#pragma once
#include <optional>

#include "run/extensions.h"

/// Measured rows in place of what formulas miss: a system names documents of measurements (`corrections`), and gets points that say how far measured times near some
/// sizes are from the computed ones. An accounting multiplies by what they say (see docs/calibrate.md).
namespace opledger {

/// The system with these fields. Empty, with errors: a document or its rows can't be read, or one of them has no computed time.
std::optional<Document> corrected(const Document& system, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
