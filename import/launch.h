#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "import/import.h"
#include "import/launch_reader.h"

/// Imports a model and an execution from a script, a document of arguments or a config of a framework. The meaning of the arguments is in a document of kind
/// `import` that has the format's name among its `formats`, or in one that the user names. Nothing here knows a framework.
namespace opledger {

/// Empty, with errors, if no mapping is of the format, or if the file can't be read, says something that has no word here, or contradicts itself.
Imported import_launch(const std::string& format, const ImportRequest& request, Library& library, Diagnostics& diagnostics);

/// Imports a config that was read, with the mapping of its format.
Imported import_config(const LaunchConfig& config, const LaunchMapping& launch, const std::string& format, const ImportRequest& request,
                       Diagnostics& diagnostics);

/// Returns the mapping that is named, or else the library's mapping of the format. Returns nothing, with errors, if there is none or if it makes no execution.
std::optional<Mapping> load_launch_mapping(const std::string& format, const std::string& named, Library& library, Diagnostics& diagnostics);

/// All formats that some mapping of the library is of, sorted.
std::vector<std::string> launch_formats(Library& library);
/// Those of them with a way back.
std::vector<std::string> export_formats(Library& library);

}  // namespace opledger
