#pragma once
#include <string>

#include "import/mapping.h"

/// The way back from a run to a launch script or config of a framework.
namespace opledger {

struct ExportMapping {
  std::string written_as;  ///< The form that `export` writes: `script` or `toml`; empty if the mapping only imports.
  std::string command;     ///< The command of a script, with `{FIELD}` for the values of fields.
  std::string judged_on;   ///< The system on which the export is compared with the run, if the user names none.
  Datum writes;            ///< Fields, and formulas of a run from which they are written (written_config.h).
};

ExportMapping read_export_mapping(const Mapping& mapping);

}  // namespace opledger
