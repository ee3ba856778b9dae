#pragma once
#include <string>

#include "base/diagnostics.h"
#include "import/import.h"

/// Converts the JSON documents of Calculon (Isaev et al. 2023) to opledger YAML: an application, an execution or a
/// system. The accounting `calculon` reads the result exactly like the original. The accounting `standard` reads the
/// same options under opledger's names. A comment in the result lists each option that `standard` does not count.
namespace opledger {

/// Returns the YAML text of the new document as `text`, for all three kinds. Returns an empty result and reports an
/// error if the file is no valid document of one of the kinds. A request with a mapping, with rules or for unquantized
/// weights is an error, too.
ImportedDocuments import_calculon(const ImportRequest& request, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
