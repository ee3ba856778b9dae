#pragma once
#include <string>
#include <vector>

#include "schemas/datum.h"

/// Paths of fields in a document, `system.networks[0].bandwidth`: the first word stands for the document itself.
namespace opledger {

/// The keys and positions behind the first word: `networks`, `[0]`, `bandwidth`.
std::vector<std::string> steps_of(const std::string& path);

/// Null: the document doesn't state it.
const Datum* at_path(const Datum& document, const std::string& path);

/// The document with this text there; mappings on the way are made. What stands in the way and is no mapping or list stays as it is.
Datum with_field(const Datum& document, const std::vector<std::string>& steps, const Datum& value, std::size_t from = 0);

}  // namespace opledger
