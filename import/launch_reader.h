#pragma once
#include <filesystem>
#include <optional>

#include "base/diagnostics.h"
#include "import/mapping.h"
#include "import/script.h"

/// What starts a training, in whatever form, as one config.
namespace opledger {

/// A script or a list of arguments; TOML, YAML or JSON by the file's suffix. Empty, with errors: it is none of these, or is written in a language that must be run.
std::optional<Datum> read_launch(const std::filesystem::path& file, const Mapping& mapping, const ScriptVariables& variables, Diagnostics& diagnostics);

}  // namespace opledger
