#pragma once
#include "base/diagnostics.h"
#include "import/launch_mapping.h"
#include "schemas/library.h"

/// Files that a launch config names, such as the settings of a library.
namespace opledger {

/// Files that the user names instead of the config: pairs of a place in the config and the path.
using NamedFiles = std::vector<std::pair<std::string, Datum>>;

/// Replaces names of files in a config by the contents of the files, as the mapping's `included_files` says. Paths in
/// the config are relative to its folder and may not leave it; paths by the user have no limit. Entries of the config
/// have precedence over entries of the file. Returns false and reports errors if a file can't be read or is no mapping.
bool include_files(Datum& config, const LaunchMapping& launch, const NamedFiles& named, const Library& library, Diagnostics& diagnostics);

}  // namespace opledger
