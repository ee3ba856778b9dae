#pragma once
#include "base/diagnostics.h"
#include "schemas/library.h"

/// The check of a document of measurements by the command `validate`.
namespace opledger {

/// Checks the names in a document of kind measurements, without a table or system. Reports unknown columns in its own
/// rows and in `corrects`, and unknown fields and inputs under `set`, `fits`, `also_set` and `corrects`. Names refer to
/// the default accounting and to the document's model.
void check_measured_names(const Document& document, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
