#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "import/import.h"
#include "import/launch_reader.h"

/// A model and an execution from what starts a training: a script, a document of arguments, a config of a framework. How its arguments become both is in a document
/// of kind `import` that has the format's name among its `formats`, or in one that the user names. Nothing here knows a framework.
namespace opledger {

/// Empty, with errors, if no mapping is of the format, or if the file can't be read, says something that has no word here, or contradicts itself.
Imported import_launch(const std::string& format, const ImportRequest& request, Library& library, Diagnostics& diagnostics);

/// The same of a config that was read, and of a mapping that is known.
Imported import_config(const LaunchConfig& config, const Mapping& mapping, const std::string& format, const ImportRequest& request, Diagnostics& diagnostics);

/// The mapping of a format: the one that is named, else the library's. Empty, with errors: there is none, or it makes no execution.
std::optional<Mapping> launch_mapping(const std::string& format, const std::string& named, Library& library, Diagnostics& diagnostics);

/// All formats that some mapping of the library is of, sorted.
std::vector<std::string> launch_formats(Library& library);
/// Those of them with a way back.
std::vector<std::string> export_formats(Library& library);

}  // namespace opledger
