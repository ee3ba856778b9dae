#pragma once
#include <string>

#include "base/diagnostics.h"
#include "import/import.h"

/// Imports a model from a config.json of Hugging Face. The config's `model_type` selects a mapping, a document of
/// kind `import` from the search path; the user may name another mapping. Quantized weights become rules for the
/// model (quantized.h). No family is known here.
namespace opledger {

/// Returns the model and, if requested, rules. Returns an empty result and reports errors if the file is no config of
/// a model, or if no mapping knows its family or its quantization method. Values that contradict each other are
/// errors, too.
ImportedDocuments import_hf(const ImportRequest& request, Library& library, Diagnostics& diagnostics);

/// Returns the mapping for a config, owned by the library. Returns null and reports errors if the file can't be read
/// or no mapping matches.
const Document* mapping_of_config(const std::string& file, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
