#pragma once
#include <string>

#include "base/diagnostics.h"
#include "import/import.h"

/// A model from a config.json of Hugging Face. Which family a config is of it says itself (`model_type`); how that family's fields become a model
/// is in a document of kind `import`, on the search path or named by the user. What it says of quantised weights becomes rules for that model (quantised.h).
/// Nothing here knows a family.
namespace opledger {

/// Empty, with errors, if the file is no such config, if no mapping knows its family or how its weights are quantised, or if it contradicts itself.
Imported import_hf(const ImportRequest& request, Library& library, Diagnostics& diagnostics);

/// The mapping of the family that a config is of. Null, with errors, as above.
const Document* mapping_of_config(const std::string& file, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
