#pragma once
#include <string>
#include <vector>

#include "schemas/datum.h"

/// Paths of fields in a document, such as `system.networks[0].bandwidth`. The first word denotes the document itself.
namespace opledger {

/// Returns the keys and positions after the first word: `networks`, `[0]`, `bandwidth`.
std::vector<std::string> steps_of(const std::string& path);

/// Returns the value at a path; null if the document does not state it.
const Datum* at_path(const Datum& document, const std::string& path);

/// Returns a copy of the document with `value` at the path `steps` (see `steps_of`), adding missing mappings. A path
/// through a scalar, or to an item that a list lacks, changes nothing. `from`: number of steps to skip, for recursion.
Datum with_field(const Datum& document, const std::vector<std::string>& steps, const Datum& value, std::size_t from = 0);

}  // namespace opledger
