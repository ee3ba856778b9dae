#pragma once
#include <string>

#include "import/mapping.h"

/// The export from a run to a launch script or config of a framework.
namespace opledger {

/// The keys of a mapping that only exports read.
struct ExportMapping {
  std::string export_format;  ///< Format of the export, `script`, `toml` or `yaml`; empty if the mapping only imports.
  std::string command;        ///< Command of a script, with `{FIELD}` for the values of fields.
  std::string compared_on;    ///< System on which the export is compared with the run, if the user names none.
  Datum separate_workers;     ///< How a script starts workers with arguments of their own; null without the key.
  Datum writes;               ///< Fields, each with a formula of the run (config_writer.h).
};

/// Reads the keys `export_format`, `command`, `compared_on`, `separate_workers` and `writes`.
ExportMapping read_export_mapping(const Mapping& mapping);

}  // namespace opledger
