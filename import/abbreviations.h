#pragma once
#include <optional>

#include "base/diagnostics.h"
#include "import/field_mapping.h"

/// Expands the abbreviated notations of config values.
namespace opledger {

/// Returns a value of `field` in full: a sign text becomes a list, repetitions are unrolled, parts are counted, and a
/// list argument is split into words. Any other value stays unchanged, but a quoted number of a script loses its quotes
/// if the field also reads words. Returns null if the value belongs to another field of the same place. Returns nothing
/// and reports an error for an unknown sign or a wrong repetition. A flag with the value false, a list argument without
/// a value, and a value in a script that a shell would expand are errors, too.
std::optional<Datum> expand_abbreviation(const MappedField& field, const Datum& value, const FieldMapping& mapping, Diagnostics& diagnostics);

}  // namespace opledger
