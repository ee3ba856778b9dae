#pragma once
#include <memory>
#include <optional>

#include "base/diagnostics.h"
#include "base/source.h"
#include "schemas/datum.h"

/// Reads TOML into a `Datum`. Only this file uses toml++, and no exception leaves it.
namespace opledger {

/// Parses a file. Dates become texts. Returns nothing and reports an error if the text is no TOML, or nested too
/// deep.
std::optional<Datum> parse_toml(const std::shared_ptr<const SourceFile>& source, Diagnostics& diagnostics);

}  // namespace opledger
