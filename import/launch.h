#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "import/import.h"
#include "import/launch_reader.h"

/// Imports a model and an execution from a launch script, a list of arguments, or a config of a framework. A document
/// of kind `import` describes the arguments; the key `formats` lists its formats. The user may name another mapping.
/// No framework is known here.
namespace opledger {

/// Returns the imported documents. Returns an empty result and reports errors if no mapping has the format, or if the
/// file can't be read or contradicts itself. An argument that the mapping suspects or refuses is an error, too.
ImportedDocuments import_launch(const std::string& format, const ImportRequest& request, Library& library, Diagnostics& diagnostics);

/// Imports a config that `read_launch` has read, with the mapping of its format, without a proof run. `format` is the
/// name of the format for the documents' `source`. Returns an empty result and reports errors like `import_launch`.
ImportedDocuments import_config(const LaunchConfig& config, const LaunchMapping& launch, const std::string& format, const ImportRequest& request,
                                Diagnostics& diagnostics);

/// Returns the mapping with the name `mapping_name`, or the library's mapping of the format if the name is empty.
/// Returns nothing and reports errors if no such mapping exists, or if it makes no execution.
std::optional<Mapping> load_launch_mapping(const std::string& format, const std::string& mapping_name, Library& library, Diagnostics& diagnostics);

/// Returns the rules of the weights that a model is published with; nothing without such rules or without the model.
std::vector<std::string> published_rules_of(const std::string& model, Library& library);

/// Returns the formats of all mappings in the library, sorted.
std::vector<std::string> launch_formats(Library& library);
/// Returns the formats that can be exported, sorted.
std::vector<std::string> export_formats(Library& library);
/// Returns the suffix of the files of a format that can be exported: `sh`, `toml` or `yaml`.
std::string suffix_of_export(const std::string& format, Library& library);
/// Returns the format that exports runs of a stack: its mapping imports runs with this stack. Nothing without one.
std::optional<std::string> export_format_of_stack(const std::string& stack, Library& library);

}  // namespace opledger
