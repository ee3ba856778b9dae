#pragma once
#include "base/diagnostics.h"
#include "schemas/library.h"

namespace opledger {

/// Checks the names in a document of kind measurements, without a table and a system: columns of its own rows and of `corrects`, fields of the system under
/// `fits`, `beside` and `corrects`, and what `set` sets. Fields and inputs are those of the usual accounting, parameters those of the document's model.
void check_measured_names(const Document& document, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
