#pragma once
#include <optional>
#include <string>

#include "base/diagnostics.h"
#include "run/run.h"

/// What starts a framework on a run: flags in a script, or a config, by the way back of the format's mapping (written_config.h).
namespace opledger {

struct ExportRequest {
  std::string format;   ///< As `import` calls it.
  std::string mapping;  ///< A document of kind `import`, by name or path; empty: the library's for the format.
  RunRequest run;       ///< Without a system, the mapping names the one on which what is exported is compared.
};

/// One argument a line, with the keys that it comes from as a comment. What is written is imported again, and must come to the same metrics as the run: the text is empty, with errors
/// that name what differs, where the framework can't do what the run says.
std::string export_launch(const ExportRequest& request, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
