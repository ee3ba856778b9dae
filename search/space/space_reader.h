#pragma once
#include <optional>

#include "search/space/space.h"

/// Reads a document of kind `search` into a space: links the accounting, then the domains and conditions of the axes over its program.
namespace opledger {

/// Reads the space that the request names. Axes that the request gives a value have that value alone. Empty, with errors, if something is wrong.
std::optional<Space> read_space(const RunRequest& request, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
