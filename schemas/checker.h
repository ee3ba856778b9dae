#pragma once
#include <string_view>

#include "base/diagnostics.h"
#include "schemas/datum.h"

/// Checks a document against the JSON Schema of its kind: a subset of draft-07 (type, enum, const, required, properties, patternProperties,
/// additionalProperties, propertyNames, items, minItems, minimum, maximum, pattern, $ref into definitions, oneOf, anyOf, if/then). One message per mistake,
/// at the value that is wrong, with the nearest known key or word.
namespace opledger {

struct Schema;

/// `kind` is a document kind; its schema is schemas/KIND.schema.json, compiled into the library. An unknown kind is an error at `datum`.
bool check_schema(std::string_view kind, const Datum& datum, Diagnostics& diagnostics);

/// The same with a schema that is at hand: schemas/schema.h reads them.
bool check_schema(const Schema& schema, const Datum& datum, Diagnostics& diagnostics);

}  // namespace opledger
