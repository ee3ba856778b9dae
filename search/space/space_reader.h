#pragma once
#include <optional>

#include "search/space/space.h"

/// Reads a document of kind `search` into a space: links the accounting, then the domains and conditions of the axes
/// over its program.
namespace opledger {

/// Reads the space that the request names. An axis with a value in the request has this value only. Returns nothing,
/// with errors, if the space is wrong or its run can't be linked.
std::optional<Space> read_space(const RunRequest& request, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
