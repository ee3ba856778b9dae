#pragma once
#include <string>

#include "base/diagnostics.h"
#include "schemas/library.h"

/// opledger YAML for the JSON documents of Calculon (Isaev et al. 2023): an application, an execution or a system. The accounting `calculon` reads the
/// result as it reads the original; the accounting `standard` finds in it what the original says in other words. What that one can't count is named in a comment.
namespace opledger {

/// `name`: of the new document. Empty, with errors, if the file is none of the three.
std::string import_calculon(const std::string& file, const std::string& name, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
