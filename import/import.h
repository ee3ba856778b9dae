#pragma once
#include <string>

#include "schemas/library.h"

/// What is imported, whatever its format.
namespace opledger {

struct ImportRequest {
  std::string file;     ///< By path.
  std::string name;     ///< Of the new document.
  std::string mapping;  ///< A document of kind `import`, by name or path; empty: the one for the file's family.
};

}  // namespace opledger
