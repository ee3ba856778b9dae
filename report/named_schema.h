#pragma once
#include <functional>
#include <string>
#include <vector>

#include "report/field_schema.h"

/// The schemas schemas/*.schema.json, completed with names. Two forms of `$comment` ask for names: `names of rules`
/// (documents by kind, or paths), and `such as operators` (suggestions, because a document may define more).
namespace opledger {

struct NamedSchemaRequest {
  /// Returns the names for a word of a `$comment`: a kind, a catalogue, `axes`, or `inputs`.
  std::function<std::vector<std::string>(const std::string&)> names;
  std::function<Json(Json)> fields;  ///< Returns the replacement of a subschema with the `$comment` `fields`.
  bool only_these = false;           ///< True if `names of` excludes files in the folder of the document. Default: included.
};

/// Returns `schema`, the schema of a kind, completed with names. Its definitions move to `definitions` as KIND.NAME.
Json named_schema(const std::string& kind, Json schema, const NamedSchemaRequest& request, SchemaDefinitions& definitions);

}  // namespace opledger
