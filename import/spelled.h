#pragma once
#include <optional>

#include "base/diagnostics.h"
#include "import/field_mapping.h"

/// What a value of a config stands for, where a mapping says that it is written short.
namespace opledger {

/// A text of signs as a list, one that writes repetitions short unrolled, pieces of one counted; the words of an argument one by one. Any other value as it is.
/// Null: it is of another form than the field has. Empty, with an error: it stands for nothing, or a shell would have to expand it.
std::optional<Datum> spelled(const MappedField& field, const Datum& value, const FieldMapping& mapping, Diagnostics& diagnostics);

}  // namespace opledger
