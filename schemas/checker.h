#pragma once
#include <string_view>

#include "base/diagnostics.h"
#include "schemas/datum.h"

/// Validation of documents against the JSON Schema of their kind. The subset of draft-07 is: type, enum, const,
/// required, properties, patternProperties, additionalProperties, propertyNames, items, minItems, minimum, maximum,
/// pattern, $ref into definitions, oneOf, anyOf, if/then/else. Each mistake gives one message at the wrong value, with
/// the nearest known key or word. Both functions return whether the document is valid and report errors otherwise.
namespace opledger {

struct Schema;

/// Checks a document against schemas/KIND.schema.json, which is compiled into the library. An unknown kind is an error
/// at `datum`. A former key (`Schema::former_keys`) gives a warning and is replaced in `datum` by the present key.
bool check_schema(std::string_view kind, Datum& datum, Diagnostics& diagnostics);

/// Checks a document against a schema from schemas/schema.h. Former keys are accepted and not replaced.
bool check_schema(const Schema& schema, const Datum& datum, Diagnostics& diagnostics);

}  // namespace opledger
