#pragma once
#include <optional>
#include <string>

#include "base/diagnostics.h"
#include "run/run.h"

/// Exports a run as a framework's launch script or config, by the export part of the format's mapping
/// (config_writer.h).
namespace opledger {

/// A run and the format of its export.
struct ExportRequest {
  std::string format;   ///< Name of the format, as for `import`.
  std::string mapping;  ///< Name or path of a document of kind `import`; empty: the library's mapping of the format.
  RunRequest run;       ///< The run. Without a system, the comparison uses the system that the mapping names.
};

/// Returns one argument a line, each with a comment that lists its sources. The text is imported again, and its run
/// must have the same metrics. Returns an empty text and reports the differences if the framework can't express the
/// run.
std::string export_launch(const ExportRequest& request, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
