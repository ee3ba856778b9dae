#pragma once
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "import/launch_mapping.h"
#include "import/script.h"

/// What starts a training, in whatever form, as one config.
namespace opledger {

struct LaunchConfig {
  Datum config;
  std::vector<Datum::Entry> noted;  ///< Keys of the execution that lines `# opledger: KEY: VALUE` say, in opledger's own words.
};

/// Reads TOML, YAML or JSON by the suffix of the name, and any other file as a script. Returns nothing, with errors, for Python code, which would have to be run, and
/// for files that can't be parsed.
std::optional<LaunchConfig> read_launch(const std::shared_ptr<const SourceFile>& source, const LaunchMapping& launch, const ScriptVariables& variables,
                                        Diagnostics& diagnostics);

/// Place by which a field of a mapping reads the name of the program that a command starts (`pretrain_gpt.py`).
inline constexpr const char* kProgramPlace = "$0";

/// What begins a line that says such a key.
inline constexpr std::string_view kNoteMark = "# opledger: ";

}  // namespace opledger
