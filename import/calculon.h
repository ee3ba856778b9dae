#pragma once
#include <string>

#include "base/diagnostics.h"
#include "import/import.h"

/// opledger YAML for the JSON documents of Calculon (Isaev et al. 2023): an application, an execution or a system. The accounting `calculon` reads the
/// result as it reads the original; the accounting `standard` finds in it what the original says in other words. What that one can't count is named in a comment.
namespace opledger {

/// Empty, with errors, if the file is none of the three, or if a mapping is named: there is nothing to map.
Imported import_calculon(const ImportRequest& request, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
