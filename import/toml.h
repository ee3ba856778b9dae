#pragma once
#include <memory>
#include <optional>

#include "base/diagnostics.h"
#include "base/source.h"
#include "schemas/datum.h"

/// TOML to `Datum`. The only place that knows toml++; exceptions stop here.
namespace opledger {

/// Empty, with an error: it is no TOML, or too deep. Dates are texts.
std::optional<Datum> parse_toml(const std::shared_ptr<const SourceFile>& source, Diagnostics& diagnostics);

}  // namespace opledger
