#pragma once
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "import/launch_mapping.h"
#include "import/script.h"

/// Reads a launch script or config of any form into one config.
namespace opledger {

/// The arguments of a launch, by name.
struct LaunchConfig {
  Datum config;                            ///< Mapping of arguments; sections of the file are nested mappings.
  std::vector<Datum::Entry> comment_keys;  ///< Keys of the execution from lines `# opledger: KEY: VALUE`, without fields.
};

/// Reads TOML, YAML or JSON by the suffix of the name, and any other file as a script. Returns nothing and reports
/// errors for Python code, which would have to be run, and for files that can't be parsed.
std::optional<LaunchConfig> read_launch(const std::shared_ptr<const SourceFile>& source, const LaunchMapping& launch, const ScriptVariables& variables,
                                        Diagnostics& diagnostics);

/// Place of a field whose value is the program that a command starts (`pretrain_gpt.py`), as a shell names it.
inline constexpr const char* kProgramPlace = "$0";

/// Prefix of a comment line with a key of the execution.
inline constexpr std::string_view kNoteMark = "# opledger: ";

}  // namespace opledger
